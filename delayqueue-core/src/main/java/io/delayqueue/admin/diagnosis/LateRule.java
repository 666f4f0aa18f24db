package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.LimitStatus;
import io.delayqueue.admin.LimitStatus.HeldBackBy;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.admin.diagnosis.QueueDiagnosis.Limits;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.message.TopicLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The oldest due message of a topic has been waiting for too long. It ends below half of the limit, so that a lag near the
 * limit does not flicker. A missing listener explains the lag.
 */
final class LateRule implements Rule {

    /** The states in which a listener takes deliveries, at full rate or not. */
    private static final Set<State> TAKES = EnumSet.of(State.RUNNING, State.FAILS_ALONE);

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final double NEARLY_ALL = 0.8;

    private final Limits limits;
    /** The backlogs of late topics at the last diagnosis. */
    private Map<String, Backlog> backlogs = Map.of();

    LateRule(Limits limits) {
        this.limits = limits;
    }

    /** The number of ready messages one to two minutes ago, and up to a minute ago. */
    private record Backlog(Instant first, long ready, Instant second, long readyThen) {

        private static final Duration WINDOW = Duration.ofMinutes(1);
        private static final Duration SHORTEST = Duration.ofSeconds(20);

        Backlog next(Instant now, long readyNow) {
            return Duration.between(second, now).compareTo(WINDOW) >= 0
                    ? new Backlog(second, readyThen, now, readyNow)
                    : this;
        }

        /** Zero if the time is too short to tell. */
        double perMinute(Instant now, long readyNow) {
            Duration time = Duration.between(first, now);
            return time.compareTo(SHORTEST) < 0 ? 0 : (readyNow - ready) * 60_000d / time.toMillis();
        }
    }

    @Override
    public void check(Situation situation) {
        Map<String, Backlog> found = new HashMap<>();
        for (TopicStatus topic : situation.topics()) {
            TopicCounts counts = topic.counts();
            if (counts == null) {
                continue;
            }
            String name = topic.topic();
            boolean unconsumed = situation.isCritical(name, Kind.NO_LISTENER);
            if (!unconsumed && !isLate(situation, name, counts.lag())) {
                continue;
            }
            Backlog backlog = backlog(situation, name, counts.ready());
            found.put(name, backlog);
            if (!unconsumed) {
                situation.addTopic(
                        Level.CRITICAL,
                        Kind.LATE,
                        name,
                        "Its oldest due message has been waiting for " + Wording.span(counts.lag()) + ", "
                                + Wording.messages(counts.ready(), "ready") + ". " + cause(situation, topic, counts)
                                + trend(backlog.perMinute(situation.now(), counts.ready()), counts.ready()));
            }
        }
        backlogs = found;
    }

    private boolean isLate(Situation situation, String topic, Duration lag) {
        Duration max = limits.of(topic);
        return lag.compareTo(situation.wasFound(Kind.LATE, topic) ? max.dividedBy(2) : max) > 0;
    }

    private Backlog backlog(Situation situation, String topic, long ready) {
        Backlog known = backlogs.get(topic);
        Instant now = situation.now();
        return known == null ? new Backlog(now, ready, now, ready) : known.next(now, ready);
    }

    /** How the number of ready messages changes. */
    private static String trend(double perMinute, long ready) {
        if (perMinute >= 1) {
            return " More messages become due than are handled: ready messages grow by "
                    + Wording.count(Math.round(perMinute)) + " per minute.";
        }
        return perMinute <= -1
                ? " It is catching up: at this rate no message is ready in about "
                        + Wording.span(Duration.ofMillis(Math.round(ready / -perMinute * 60_000))) + "."
                : "";
    }

    /** Why a topic is late. */
    private static String cause(Situation situation, TopicStatus topic, TopicCounts counts) {
        if (topic.paused()) {
            return "The topic is paused on all nodes.";
        }
        if (topic.consumers().isEmpty()) {
            return "No node listens to it.";
        }
        LimitStatus limits = topic.limits();
        if (limits != null && limits.heldBackBy() != null) {
            return heldBack(situation, limits, limits.heldBackBy());
        }
        Attempts attempts = situation.attempts().getOrDefault(topic.topic(), Attempts.NONE);
        if (limits != null && reachesRate(limits.effective().rate(), attempts)) {
            return heldBack(situation, limits, HeldBackBy.RATE);
        }
        List<NodeListener> all = situation.listeners(topic.topic());
        if (!all.isEmpty()
                && all.stream().noneMatch(each -> TAKES.contains(each.listener().state()))) {
            return all.stream().anyMatch(each -> each.listener().state() == State.UNAVAILABLE)
                    ? "A system that its handlers need is unavailable."
                    : "All of its listeners are paused or stopped.";
        }
        if (situation.usesAllPermits(topic.topic())) {
            return situation.busy(topic.topic());
        }
        // if all ready messages are parked, the heads of their keys may wait for their next attempts
        boolean headsAreReady = counts.parked() == 0 || counts.ready() > counts.parked();
        if (counts.leased() == 0 && attempts.all() == 0 && headsAreReady) {
            return "No message is being handled although "
                    + Wording.counted(topic.consumers().size(), "node listens", "nodes listen")
                    + ". Check the health of the nodes.";
        }
        return "Permits are free"
                + (counts.parked() == 0
                        ? "."
                        : ", but "
                                + Wording.counted(
                                        counts.parked(),
                                        "message waits for another message of its key.",
                                        "messages wait for another message of their key."));
    }

    /** Whether nearly all starts were used that the rate permits. At one moment, it may permit one. */
    private static boolean reachesRate(TopicLimits.@Nullable Rate rate, Attempts lastMinute) {
        return rate != null
                && rate.period().compareTo(MINUTE) <= 0
                && lastMinute.all()
                        >= NEARLY_ALL
                                * rate.count()
                                * MINUTE.toMillis()
                                / rate.period().toMillis();
    }

    /** Describes what the limits of a topic hold back. */
    private static String heldBack(Situation situation, LimitStatus limits, HeldBackBy by) {
        LimitStatus.Hold hold = limits.hold();
        return switch (by) {
            case HOLD ->
                hold == null
                        ? "A message holds it."
                        : "Message " + Printable.of(hold.by()) + " holds it for another "
                                + Wording.span(
                                        Duration.between(situation.nodes().at(), hold.until())) + ".";
            case CONCURRENCY ->
                "Its limit of "
                        + Wording.counted(
                                Objects.requireNonNull(limits.effective().maxConcurrent()), "message")
                        + " at a time holds it back.";
            case CONCURRENCY_PER_KEY ->
                "Its per-key limit of "
                        + Wording.counted(
                                Objects.requireNonNull(limits.effective().maxConcurrentPerKey()), "message")
                        + " at a time holds it back.";
            case RATE -> "Its rate of " + limits.effective().rate() + " holds it back.";
        };
    }
}
