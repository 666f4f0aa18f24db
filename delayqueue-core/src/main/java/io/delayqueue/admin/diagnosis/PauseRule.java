package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicCounts;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.message.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** A topic or one of its listeners is paused, or a listener of a live node is stopped. */
final class PauseRule implements TopicRule {

    /** How long a listener is stopped before it is a finding. A node that stops drains its listeners for up to 20 s. */
    private static final Duration STOPPED = Duration.ofSeconds(30);

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        String name = topic.topic();
        if (topic.paused()) {
            situation.addTopic(Level.WARNING, Kind.PAUSED, name, "It is paused on all nodes.");
            return;
        }
        List<NodeListener> idle = situation.listeners(name).stream()
                .filter(each -> isIdle(situation, each))
                .toList();
        if (!idle.isEmpty()) {
            NodeListener first = idle.get(0);
            String of = "Listener " + Printable.of(first.listener().id()) + " is "
                    + first.listener().state().name().toLowerCase(Locale.ROOT) + " on " + first.host();
            situation.addTopic(
                    Level.WARNING,
                    Kind.PAUSED,
                    name,
                    idle.size() == 1 ? first.node() : null,
                    idle.size() == 1
                            ? of + "."
                            : of + ", and "
                                    + Wording.counted(idle.size() - 1, "more is not running.", "more are not running."),
                    null);
        }
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
