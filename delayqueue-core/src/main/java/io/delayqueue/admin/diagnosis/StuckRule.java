package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.RunningHandler;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicCounts;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * Handlers of a listener on a node run much longer than usual while messages wait; critical if that are all of its
 * handlers and messages are ready.
 */
final class StuckRule implements TopicRule {

    /** The shortest time after which a handler is stuck. */
    private static final Duration SHORTEST = Duration.ofSeconds(30);

    /** A handler is stuck if it runs longer than this multiple of the usual time. */
    private static final int MULTIPLE = 10;

    /** Time after which a handler is stuck if none has ended on any node, so that the usual time is not known. */
    private static final Duration UNUSUAL = Duration.ofMinutes(5);

    @Override
    public void check(Situation situation, TopicStatus topic, TopicCounts counts) {
        List<NodeListener> all = situation.listeners(topic.topic());
        long running = all.stream().mapToLong(each -> each.listener().running()).sum();
        if (counts.ready() == 0 && counts.leased() <= running) {
            return;
        }
        for (NodeListener each : all) {
            Duration limit = limit(each.listener().id(), all);
            RunningHandler oldest = each.listener().oldest();
            if (oldest != null && oldest.time().compareTo(limit) > 0) {
                add(situation, topic.topic(), each, oldest, counts, limit);
            }
        }
    }

    private static Duration limit(String listener, List<NodeListener> all) {
        return limit(all.stream()
                .map(NodeListener::listener)
                .filter(each -> each.id().equals(listener))
                .map(ListenerStatus::usual)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO));
    }

    /**
     * The time after which work on a message takes too long.
     *
     * @param usual the usual time; zero if it is unknown
     */
    static Duration limit(Duration usual) {
        if (usual.isZero()) {
            return UNUSUAL;
        }
        Duration limit = usual.multipliedBy(MULTIPLE);
        return limit.compareTo(SHORTEST) > 0 ? limit : SHORTEST;
    }

    private static void add(
            Situation situation,
            String topic,
            NodeListener stuck,
            RunningHandler oldest,
            TopicCounts counts,
            Duration limit) {
        ListenerStatus listener = stuck.listener();
        boolean all = listener.running() >= listener.concurrency()
                && listener.youngest().compareTo(limit) > 0;
        situation.addTopic(
                all && counts.ready() > 0 ? Level.CRITICAL : Level.WARNING,
                Kind.STUCK,
                topic,
                stuck.node(),
                what(listener, all) + " of listener " + Printable.of(listener.id()) + " on " + stuck.host()
                        + (all && listener.running() > 1 ? " have" : " has")
                        + " been running for much longer than usual, "
                        + (all && listener.running() > 1 ? "the oldest " : "") + "for " + Wording.span(oldest.time())
                        + " with message " + Printable.of(oldest.id()) + ".",
                null);
    }

    private static String what(ListenerStatus listener, boolean all) {
        if (!all) {
            return "A handler";
        }
        return listener.running() == 1 ? "The only handler" : "All " + Wording.count(listener.running()) + " handlers";
    }
}
