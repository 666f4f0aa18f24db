package io.delayqueue.container;

import io.delayqueue.coordination.PeerReports.Peer;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.store.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Notices that a listener fails on this node alone, as outlier detection of load balancers does. Without it, the node that
 * fails fastest takes most messages, because its handlers are always free.
 *
 * <p>A listener <em>fails</em> if at least five attempts of the last minute threw an exception, none has succeeded since,
 * and they are nine of ten attempts or at least thirty in a row. From then on each heartbeat reads what the running
 * listeners of the queue on other nodes report. The listener fails <em>alone</em> while most attempts of one of them
 * succeed, the last one after this listener began to fail. It then claims one message a second as a probe, and its shards
 * are assigned to other nodes. If another node has had no attempt, the shards are assigned to other nodes before, at full
 * rate, which shows whether they succeed. A success ends all that at once.
 *
 * <p>Thread-safe. {@code onChange} is called without the monitor. While no attempt fails, one costs a volatile read.
 */
final class FailsAlone implements PeriodicTask {

    private static final Log log = LogFactory.getLog(FailsAlone.class);

    /** Time from the failure of a probe until the next one. */
    static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);

    /** Fewest attempts that fail in a row, and in the last minute. */
    static final int FEWEST = 5;
    /** Attempts in a row that suffice, even if most attempts of the last minute succeeded before. */
    static final int ENOUGH = 30;

    private static final double NEARLY_ALL = 0.9;

    private final String listener;
    private final boolean enabled;
    private final AttemptLog attempts;
    private final Function<Consumer<List<Peer>>, Runnable> watch;
    private final LongSupplier nanoTime;
    private final Runnable onChange;

    private State state = State.NONE;
    private long changedAt;
    private long failsSince;
    private boolean leavesShards;
    private boolean closed;
    private Runnable endWatch = () -> {};

    /** Attempts that threw since the last success. */
    private volatile int inARow;

    private enum State {
        /** It does not fail. */
        NONE,
        /** It fails, perhaps like all others. */
        FAILS,
        /** It fails alone, and waits until the next probe. */
        WAITS,
        /** It fails alone, and claims one message. */
        PROBES
    }

    /**
     * Creates a detector that has seen no attempt.
     *
     * @param listener the listener and its topic, for the log
     * @param enabled whether it ever detects anything
     * @param attempts counts the attempts before this detector does
     * @param watch watches the listeners of the queue on other nodes, until what it returns is run
     * @param onChange called after each change of {@link #waits()}, {@link #probes()} or {@link #leavesShards()}
     */
    FailsAlone(
            String listener,
            boolean enabled,
            AttemptLog attempts,
            Function<Consumer<List<Peer>>, Runnable> watch,
            LongSupplier nanoTime,
            Runnable onChange) {
        this.listener = listener;
        this.enabled = enabled;
        this.attempts = attempts;
        this.watch = watch;
        this.nanoTime = nanoTime;
        this.onChange = onChange;
    }

    /** Whether the listener fails alone. */
    synchronized boolean isAlone() {
        return state == State.WAITS || state == State.PROBES;
    }

    /** Whether the listener must not claim messages. */
    synchronized boolean waits() {
        return state == State.WAITS;
    }

    /** Whether the listener may claim one message as a probe. */
    synchronized boolean probes() {
        return state == State.PROBES;
    }

    /** Whether the shards are assigned to other nodes. */
    synchronized boolean leavesShards() {
        return leavesShards;
    }

    /**
     * Records the end of an attempt. If the attempt ends a probe or is a success, calls {@code onChange} before it
     * returns.
     *
     * @param startedAt when the handler started, by the monotonic clock
     * @param failure the exception of a failed attempt; null if the handler requested the settlement
     */
    void settled(Settlement settlement, long startedAt, @Nullable Throwable failure) {
        boolean changed;
        if (settlement instanceof Settlement.Acknowledge) {
            changed = inARow > 0 && succeeded(startedAt);
        } else if (failure != null
                && (settlement instanceof Settlement.Retry || settlement instanceof Settlement.ToDeadLetters)) {
            changed = enabled && failed(startedAt);
        } else {
            changed = inARow > 0 && endProbe(startedAt); // no outcome, but only one message is claimed a second
        }
        if (changed) {
            onChange.run();
        }
    }

    private synchronized boolean endProbe(long startedAt) {
        if (state != State.PROBES || startedAt - changedAt < 0) {
            return false;
        }
        state = State.WAITS;
        changedAt = nanoTime.getAsLong();
        return true;
    }

    private synchronized boolean failed(long startedAt) {
        inARow++;
        if (state == State.NONE && !closed && fails()) {
            state = State.FAILS;
            failsSince = nanoTime.getAsLong();
            endWatch = watch.apply(this::reported);
        }
        return endProbe(startedAt);
    }

    private boolean fails() {
        if (inARow < FEWEST) {
            return false;
        }
        AttemptLog.Outcomes outcomes = attempts.outcomes();
        long threw = outcomes.threw();
        return threw >= FEWEST && (inARow >= ENOUGH || threw >= NEARLY_ALL * (threw + outcomes.succeeded()));
    }

    private boolean succeeded(long startedAt) {
        boolean wasAlone;
        boolean changed;
        synchronized (this) {
            wasAlone = isAlone();
            if (wasAlone && startedAt - failsSince < 0) {
                return false; // it shows what the listener could do before
            }
            changed = end();
        }
        if (wasAlone) {
            log.info("A message was handled by " + listener + ". The listener claims messages at full rate again");
        }
        return changed;
    }

    /** Returns to the state of a listener that does not fail, and returns whether {@code onChange} must be called. */
    private boolean end() {
        boolean changed = isAlone() || leavesShards;
        inARow = 0;
        state = State.NONE;
        leavesShards = false;
        endWatch.run();
        endWatch = () -> {};
        return changed;
    }

    /** Applies what other nodes reported. */
    private void reported(List<Peer> listeners) {
        boolean wasAlone;
        boolean changed = false;
        synchronized (this) {
            long now = nanoTime.getAsLong();
            wasAlone = isAlone();
            if (state == State.NONE) {
                return;
            }
            if (listeners.stream().anyMatch(peer -> succeeds(peer, now))) {
                if (!wasAlone) {
                    state = State.WAITS;
                    changedAt = now;
                    leavesShards = true;
                    changed = true;
                }
            } else if (wasAlone || !fails()) {
                changed = end();
            } else if (!leavesShards && listeners.stream().anyMatch(FailsAlone::isIdle)) {
                leavesShards = true;
                changed = true;
            }
        }
        if (changed) {
            logChange(wasAlone);
            onChange.run();
        }
    }

    /** Whether a listener succeeds, and has succeeded since this one began to fail. */
    private boolean succeeds(Peer peer, long now) {
        Attempts lastMinute = peer.listener().attempts();
        Duration sinceSuccess = lastMinute.sinceSuccess();
        return sinceSuccess != null
                && lastMinute.succeeded() > lastMinute.failed()
                && sinceSuccess.plus(peer.age()).compareTo(Duration.ofNanos(now - failsSince)) < 0;
    }

    private static boolean isIdle(Peer peer) {
        return peer.listener().attempts().all() == 0 && peer.listener().running() == 0;
    }

    private void logChange(boolean wasAlone) {
        if (!wasAlone && isAlone()) {
            log.warn("The attempts of " + listener
                    + " fail on this node, and succeed on another. Until one succeeds here,"
                    + " the listener claims one message a second on this node, and other nodes sweep its shards");
        } else if (wasAlone) {
            log.info("The attempts of " + listener + " succeed on no other node. The listener claims messages at full"
                    + " rate again");
        } else if (leavesShards()) {
            log.info("The attempts of " + listener + " fail on this node. Other nodes, which had none within the last"
                    + " minute, sweep its shards");
        }
    }

    /** Begins a probe when it is time. */
    @Override
    public Duration run() {
        synchronized (this) {
            if (state != State.WAITS) {
                return UNTIL_WOKEN;
            }
            Duration left = PROBE_INTERVAL.minusNanos(nanoTime.getAsLong() - changedAt);
            if (left.compareTo(Duration.ZERO) > 0) {
                return left;
            }
            state = State.PROBES;
            changedAt = nanoTime.getAsLong();
        }
        onChange.run();
        return UNTIL_WOKEN;
    }

    /** Ends the detection: the listener stops. */
    synchronized void close() {
        closed = true;
        end();
    }
}
