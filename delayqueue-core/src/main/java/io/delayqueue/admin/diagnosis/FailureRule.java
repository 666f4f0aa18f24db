package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus.Attempts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Most attempts of a topic fail, or most attempts at its messages with one value of the header by which attempts are
 * counted: the failure rate of a minute reaches the limit. It ends below half of the limit, so that
 * a rate near the limit does not flicker. A listener that fails alone, and therefore claims slower, is a warning if most
 * attempts of its topic succeed.
 */
final class FailureRule implements Rule {

    /** The number of failures within a minute below which a topic is not failing. */
    static final int FEWEST = 5;

    private final double maxRate;
    /** The topics whose failure rate reached the limit at the last diagnosis. */
    private Set<String> failing = Set.of();

    FailureRule(double maxRate) {
        this.maxRate = maxRate;
    }

    @Override
    public void check(Situation situation) {
        Set<String> found = new HashSet<>();
        situation.attempts().forEach((topic, all) -> {
            if (check(situation, topic, all)) {
                found.add(topic);
            }
        });
        failing = found;
    }

    /** Returns whether the failure rate reaches the limit. */
    private boolean check(Situation situation, String topic, Attempts all) {
        double limit = maxRate / (failing.contains(topic) ? 2 : 1);
        Map.Entry<String, Attempts> worst = worst(situation, topic, limit);
        FailingNodes nodes = FailingNodes.among(situation.listeners(topic));
        List<String> text = failures(all, limit, worst, nodes);
        boolean found = !text.isEmpty();
        if (nodes.alone() || (found && nodes.explain())) {
            text.add(nodes.text());
        }
        if (!text.isEmpty()) {
            situation.addTopic(
                    found ? Level.CRITICAL : Level.WARNING,
                    Kind.FAILING,
                    topic,
                    !found || nodes.explain() ? nodes.only() : null,
                    String.join(" ", text),
                    found ? all.failure() : nodes.of().failure());
        }
        return found;
    }

    /** What is said of a failure rate that reaches the limit; empty if none does. */
    private static List<String> failures(
            Attempts all, double limit, Map.@Nullable Entry<String, Attempts> worst, FailingNodes nodes) {
        List<String> text = new ArrayList<>();
        if (fails(all, limit)) {
            text.add(Wording.count(all.succeeded()) + " of " + Wording.count(all.all())
                    + " attempts succeeded in the last minute.");
            text.add(
                    all.failure() == null
                            ? "The handlers request retries."
                            : "It has been failing for " + Wording.span(all.failing()) + ".");
            if (worst != null && worst.getValue().failed() * 10 >= all.failed() * 9) {
                text.add(byHeader(worst, all));
            }
        } else if (worst != null && !(nodes.alone() && nodes.explain())) {
            text.add(byHeader(worst, all));
        }
        return text;
    }

    private static boolean fails(Attempts attempts, double limit) {
        return attempts.failed() >= FEWEST && attempts.failed() >= limit * attempts.all();
    }

    /** The value of the header with the most failures, if its attempts fail; null if there is none. */
    private static Map.@Nullable Entry<String, Attempts> worst(Situation situation, String topic, double limit) {
        Map<String, Attempts> values = new TreeMap<>();
        for (NodeListener each : situation.listeners(topic)) {
            each.listener().byHeader().forEach((value, attempts) -> values.merge(value, attempts, Attempts::plus));
        }
        return values.entrySet().stream()
                .filter(each -> fails(each.getValue(), limit))
                .max(Comparator.comparingLong(each -> each.getValue().failed()))
                .orElse(null);
    }

    private static String byHeader(Map.Entry<String, Attempts> value, Attempts all) {
        Attempts of = value.getValue();
        long failed = all.failed() - of.failed();
        long others = all.all() - of.all();
        return "Messages with header " + value.getKey() + " fail: " + Wording.count(of.failed()) + " of "
                + Wording.counted(of.all(), "attempt")
                + (others <= 0
                        ? "."
                        : failed <= 0
                                ? "; all others succeed."
                                : "; of the others, " + Wording.count(failed) + " of " + Wording.count(others) + ".");
    }
}
