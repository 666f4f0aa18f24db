package io.delayqueue.container;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.event.FailureLog;
import io.delayqueue.listener.ListenerStatus.Unavailable;
import io.delayqueue.message.Failure;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breaker of a listener (Nygard, <em>Release It!</em>). It opens when an attempt fails because a system that
 * the handler needs is unavailable. While it is open, the listener claims no messages. After a delay it is half-open: the
 * listener claims one message as a probe. If the probe fails like this too, the circuit opens again, with twice the
 * delay. Any other end of the probe closes it, and so does a minute without one.
 *
 * <p>An attempt that started before the last change does not affect the circuit: its failure says nothing new, and its
 * success nothing about the present.
 *
 * <p>A message may fail like this by itself, as with a host that only this message names. So the attempt counts if the
 * circuit is closed, and other messages were handled since the message failed like this before.
 *
 * <p>Thread-safe. {@code onChange} is called without the monitor. While the circuit is closed and no message failed
 * recently, an attempt costs one volatile read.
 */
final class Circuit implements PeriodicTask {

    private static final Log log = LogFactory.getLog(Circuit.class);

    /** Delay of the first probe. */
    static final Duration FIRST_DELAY = Duration.ofSeconds(1);

    static final Duration LONGEST_DELAY = Duration.ofSeconds(30);
    /**
     * Time after which a half-open circuit closes without a result: no message was due, or the handler of the probe does
     * not return.
     */
    static final Duration LONGEST_PROBE = Duration.ofMinutes(1);

    private static final double JITTER = 0.2;
    /** Number of messages whose last failure is remembered, and for how long. */
    private static final int MAX_REMEMBERED = 1_000;

    private static final long REMEMBERED_NANOS = Duration.ofMinutes(5).toNanos();

    private final String listener;
    private final LongSupplier nanoTime;
    private final Runnable onChange;

    private State state = State.CLOSED;
    private long changedAt;
    private long openedAt;
    private String failure = "";
    private int probes;
    private Duration delay = Duration.ZERO;
    /** Attempts since the start that reached the system. */
    private long handled;
    /** The last failures by message, oldest first. */
    private final Map<String, LastFailure> remembered = new LinkedHashMap<>();

    private volatile boolean idle = true;

    private enum State {
        CLOSED,
        OPEN,
        HALF_OPEN
    }

    /** When a message failed, and the value of {@link #handled} then. */
    private record LastFailure(long at, long handled) {}

    /**
     * Creates a closed circuit.
     *
     * @param listener the listener and its topic, for the log
     * @param onChange called after each change of {@link #isOpen()} or {@link #isHalfOpen()}, when the delay until the
     *     next probe begins, and by each attempt that fails while the circuit is open
     */
    Circuit(String listener, LongSupplier nanoTime, Runnable onChange) {
        this.listener = listener;
        this.nanoTime = nanoTime;
        this.onChange = onChange;
        this.changedAt = nanoTime.getAsLong();
    }

    /** Whether the listener must not claim messages. */
    synchronized boolean isOpen() {
        return state == State.OPEN;
    }

    /** Whether the listener may claim one message as a probe. */
    synchronized boolean isHalfOpen() {
        return state == State.HALF_OPEN;
    }

    /** The unavailability; null if the circuit is closed. */
    synchronized @Nullable Unavailable unavailable() {
        return state == State.CLOSED
                ? null
                : new Unavailable(failure, Duration.ofNanos(nanoTime.getAsLong() - openedAt));
    }

    /**
     * Records an attempt that failed because a system is unavailable. If the circuit is then open, calls
     * {@code onChange} before it returns.
     *
     * @param startedAt when the handler started, by the monotonic clock
     * @return the delay after which the message is delivered again; null if the attempt counts as failed
     */
    @Nullable
    Duration failed(String id, long startedAt, Throwable cause) {
        Duration released;
        boolean open;
        boolean begins;
        String text = AttemptLog.text(Failure.of(cause)); // without the monitor: this is code of the application
        synchronized (this) {
            long now = nanoTime.getAsLong();
            LastFailure before = remembered.remove(id);
            long handledBefore = before == null ? handled : before.handled();
            boolean counts = state == State.CLOSED && handledBefore < handled;
            remembered.put(id, new LastFailure(now, counts ? handledBefore : handled));
            forget(now);
            if (counts) {
                return null;
            }
            boolean opens = state != State.OPEN && startedAt - changedAt >= 0;
            begins = opens && state == State.CLOSED;
            if (begins) {
                openedAt = now;
                probes = 0;
            }
            if (opens) {
                failure = text;
                delay = nextDelay(probes++);
                state = State.OPEN;
                changedAt = now;
            }
            open = state == State.OPEN;
            released = delay.isZero() ? FIRST_DELAY : delay;
        }
        if (open) { // also if another attempt opened it: its thread may not have called onChange yet
            onChange.run();
        }
        if (begins) {
            FailureLog.log(
                    log::warn,
                    "A system that " + listener + " needs is unavailable. The listener claims no messages, and the"
                            + " attempt does not count. It tries one message in " + released.toMillis() + " ms",
                    cause);
        }
        return released;
    }

    private static Duration nextDelay(int probes) {
        double exact = FIRST_DELAY.toMillis() * Math.pow(2, Math.min(probes, 10));
        double spread = 1 + JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1);
        double millis = Math.min((double) LONGEST_DELAY.toMillis(), exact * spread);
        return Duration.ofMillis((long) millis);
    }

    /**
     * Records an attempt that succeeded, or failed for another reason.
     *
     * @param startedAt when the handler started, by the monotonic clock
     */
    void handled(String id, long startedAt) {
        if (idle) {
            return;
        }
        Duration open = null;
        synchronized (this) {
            long now = nanoTime.getAsLong();
            remembered.remove(id);
            if (startedAt - changedAt >= 0) {
                handled++;
                if (state == State.HALF_OPEN) {
                    open = Duration.ofNanos(now - openedAt);
                    state = State.CLOSED;
                    changedAt = now;
                }
            }
            forget(now);
        }
        if (open != null) {
            onChange.run();
            log.info("A message was handled by " + listener + " after " + open.toMillis()
                    + " ms. The listener claims messages again");
        }
    }

    private void forget(long now) {
        Iterator<LastFailure> oldest = remembered.values().iterator();
        while (oldest.hasNext()
                && (now - oldest.next().at() > REMEMBERED_NANOS || remembered.size() > MAX_REMEMBERED)) {
            oldest.remove();
        }
        idle = state == State.CLOSED && remembered.isEmpty();
    }

    /** Half-opens the circuit when the delay has passed, and closes it if no probe ends. */
    @Override
    public Duration run() {
        boolean changed = false;
        Duration left;
        synchronized (this) {
            long now = nanoTime.getAsLong();
            left = left(now);
            if (left.compareTo(Duration.ZERO) <= 0) {
                state = state == State.OPEN ? State.HALF_OPEN : State.CLOSED;
                changedAt = now;
                changed = true;
                left = left(now);
                forget(now);
            }
        }
        if (changed) {
            onChange.run();
        }
        return left;
    }

    /** Time until the state changes by itself. */
    private Duration left(long now) {
        Duration passed = Duration.ofNanos(now - changedAt);
        return switch (state) {
            case CLOSED -> UNTIL_WOKEN;
            case OPEN -> delay.minus(passed);
            case HALF_OPEN -> LONGEST_PROBE.minus(passed);
        };
    }
}
