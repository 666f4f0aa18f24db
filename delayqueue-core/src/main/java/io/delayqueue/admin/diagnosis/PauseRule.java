package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A topic or one of its listeners is paused, or a listener of a live node is stopped. */
final class PauseRule implements TopicRule {

    /** How long a listener is stopped before it is a finding. A node that stops drains its listeners for up to 20 s. */
    private static final Duration STOPPED = Duration.ofSeconds(30);

    /** The age from which on a pause may be forgotten. */
    private static final Duration FORGOTTEN = Duration.ofDays(1);

    /** Listeners that do not run, on one node or on several. */
    private record Idle(String text, @Nullable NodeStatus node, boolean isForgotten) {}

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        List<Idle> idle = new ArrayList<>();
        topic.pauses().stream()
                .filter(pause -> topic.paused() ? pause.isForAll() : isOfLiveNodes(situation, pause))
                .sorted(Comparator.comparing(Pause::at))
                .forEach(pause -> idle.add(describe(situation, pause)));
        if (!topic.paused()) {
            situation.listeners(topic.topic()).stream()
                    .filter(each -> isIdle(situation, each)
                            && topic.pauses().stream()
                                    .noneMatch(pause -> pause.includes(
                                            each.listener().id(), each.node().node())))
                    .forEach(each -> idle.add(describe(each)));
        }
        if (!idle.isEmpty()) {
            Idle first = idle.get(0);
            int more = idle.size() - 1;
            situation.addTopic(
                    Level.WARNING,
                    Kind.PAUSED,
                    topic.topic(),
                    more == 0 ? first.node : null,
                    first.text
                            + (more == 0
                                    ? "."
                                    : ", and " + Wording.counted(more, "more is not running.", "more are not running."))
                            + (first.isForgotten ? " Was it forgotten?" : ""),
                    null);
        }
    }

    private static boolean isOfLiveNodes(Situation situation, Pause pause) {
        return pause.node() == null || node(situation, pause) != null;
    }

    private static @Nullable NodeStatus node(Situation situation, Pause pause) {
        return situation.nodes().live().stream()
                .filter(each -> each.node().equals(pause.node()))
                .findFirst()
                .orElse(null);
    }

    private static Idle describe(Situation situation, Pause pause) {
        NodeStatus node = node(situation, pause);
        Duration age = Duration.between(pause.at(), situation.nodes().at());
        String what = pause.isForAll()
                ? "It is"
                : pause.listener() == null
                        ? "All of its listeners are"
                        : "Listener " + Printable.of(pause.listener()) + " is";
        return new Idle(
                what + " paused on " + (node == null ? "all nodes" : Wording.host(node.host(), node.node())) + ", for "
                        + Wording.span(age) + (pause.by().isEmpty() ? "" : " by " + Printable.of(pause.by())),
                node,
                age.compareTo(FORGOTTEN) >= 0);
    }

    private static Idle describe(NodeListener each) {
        return new Idle(
                "Listener " + Printable.of(each.listener().id()) + " is "
                        + each.listener().state().name().toLowerCase(Locale.ROOT) + " on " + each.host(),
                each.node(),
                false);
    }

    private static boolean isIdle(Situation situation, NodeListener each) {
        ListenerStatus listener = each.listener();
        if (listener.state() != State.STOPPED) {
            return listener.state() == State.PAUSED;
        }
        Instant since = situation.since(Kind.PAUSED, each.node().node() + ' ' + listener.id());
        return Duration.between(since, situation.now()).compareTo(STOPPED) >= 0;
    }
}
