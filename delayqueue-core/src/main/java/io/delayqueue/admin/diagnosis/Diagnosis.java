package io.delayqueue.admin.diagnosis;

import io.delayqueue.Internal;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.message.Printable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What an operator should look at.
 *
 * @param findings at most five, the most urgent first; findings of one kind are grouped
 * @param all each finding by itself, the most urgent first
 * @param attempts the attempts of the last minute of each topic, over all nodes; topics without attempts are missing
 */
@Internal
public record Diagnosis(List<Finding> findings, List<Finding> all, Map<String, Attempts> attempts) {

    private static final int MAX_FINDINGS = 5;

    private static final Comparator<Finding> MOST_URGENT =
            Comparator.comparing(Finding::level).thenComparing(Finding::kind);

    static Diagnosis of(Situation situation) {
        List<Finding> all = situation.findings().stream().sorted(MOST_URGENT).toList();
        return new Diagnosis(summary(all, situation), all, situation.attempts());
    }

    /** The findings of each topic, the most urgent first; topics without findings are missing. */
    public Map<String, List<Finding>> topics() {
        return all.stream()
                .filter(each -> !each.topics().isEmpty())
                .collect(Collectors.groupingBy(each -> each.topics().get(0), TreeMap::new, Collectors.toList()));
    }

    private static List<Finding> summary(List<Finding> all, Situation situation) {
        Map<Kind, List<Finding>> byKind =
                all.stream().collect(Collectors.groupingBy(Finding::kind, TreeMap::new, Collectors.toList()));
        List<Finding> groups = byKind.values().stream()
                .map(each -> group(each, situation))
                .sorted(MOST_URGENT)
                .toList();
        if (groups.size() <= MAX_FINDINGS) {
            return groups;
        }
        List<Finding> rest = groups.subList(MAX_FINDINGS - 1, groups.size());
        Finding first = rest.get(0);
        String others = rest.stream()
                .skip(1)
                .map(each -> each.kind().label() + " (" + each.count() + ")")
                .collect(Collectors.joining(", "));
        List<Finding> shown = new ArrayList<>(groups.subList(0, MAX_FINDINGS - 1));
        shown.add(first.withText(first.text() + " Also: " + others + "."));
        return List.copyOf(shown);
    }

    /** Groups the findings of one kind; the text is that of the worst one. */
    private static Finding group(List<Finding> all, Situation situation) {
        List<Finding> worstFirst = all.stream()
                .sorted(Comparator.comparing(Finding::level).thenComparing(Finding::since))
                .toList();
        Finding worst = worstFirst.get(0);
        if (worst.kind() == Kind.NO_LISTENER
                && situation.topics().stream().allMatch(each -> each.consumers().isEmpty())) {
            return worst.withText(NoListenerRule.ofAllTopics(situation))
                    .with(worst.topics(), situation.topics().size());
        }
        if (all.size() == 1) {
            return worst;
        }
        List<String> topics = worstFirst.stream()
                .flatMap(each -> each.topics().stream())
                .distinct()
                .toList();
        if (topics.size() == 1) {
            return worst.withText(
                    worst.text() + " " + Wording.count(all.size() - 1) + " more on the page of the topic.");
        }
        List<String> names = topics.stream().limit(Finding.MAX_TOPICS).toList();
        String text = names.isEmpty()
                ? Wording.count(all.size()) + " " + worst.kind().label() + ". " + worst.text()
                : Wording.count(topics.size()) + " topics: " + worst.kind().label() + ". " + Printable.of(names.get(0))
                        + ": " + worst.text();
        return worst.withText(text).with(names, names.isEmpty() ? all.size() : topics.size());
    }
}
