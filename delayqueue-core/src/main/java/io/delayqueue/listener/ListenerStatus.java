package io.delayqueue.listener;

import io.delayqueue.message.QueueKind;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a listener does at one moment.
 *
 * @param id the id of the listener, unique in its application
 * @param topic the topic it listens to
 * @param kind whether it handles the topic's messages or the notifications of its dead letters
 * @param state whether it takes deliveries
 * @param running number of handlers that are running
 * @param concurrency maximum number of handlers that may run
 * @param unavailable what is unavailable; null unless the state is {@link State#UNAVAILABLE}
 * @param oldest the handler that has been running longest; null if none is running
 * @param attempts the attempts of the last minute
 * @param usual mean handling time of the last attempts, also of those before the last minute; zero if none has ended
 * @param youngest time since the start of the handler that was started last; zero if none is running
 * @param byHeader the attempts of the last minute by the header that {@code delayqueue.metrics.count-by-header} names, such
 *     as {@code tenant=acme}: the at most {@value #MAX_VALUES} values with the most failures, and {@code tenant=(other)}
 *     for the others; empty without that property
 */
public record ListenerStatus(
        String id,
        String topic,
        QueueKind kind,
        State state,
        int running,
        int concurrency,
        @Nullable Unavailable unavailable,
        @Nullable RunningHandler oldest,
        Attempts attempts,
        Duration usual,
        Duration youngest,
        SortedMap<String, Attempts> byHeader) {

    /** Maximum number of values of a header whose attempts are counted by themselves. */
    public static final int MAX_VALUES = 20;

    /** Keeps the given values. */
    public ListenerStatus {
        byHeader = Collections.unmodifiableSortedMap(new TreeMap<>(byHeader));
    }

    /** Whether a listener takes deliveries. */
    public enum State {
        /** It takes deliveries. */
        RUNNING,
        /**
         * A system that its handlers need is unavailable. It takes one delivery at a time, as a probe, and none until the
         * next probe.
         */
        UNAVAILABLE,
        /**
         * Nearly all of its attempts fail, while a listener of the topic on another node succeeds. It takes one delivery a
         * second, as a probe, until one succeeds.
         */
        FAILS_ALONE,
        /** It was paused by the application, or a pause in Redis includes it. */
        PAUSED,
        /** It does not run on its node. */
        STOPPED
    }

    /**
     * The unavailability of a system that handlers need.
     *
     * @param failure class and text of the last exception
     * @param time since the first failure
     */
    public record Unavailable(String failure, Duration time) {}

    /**
     * A running handler.
     *
     * @param id the id of its message, or of the first message of its batch
     * @param attempt number of the attempt, from 1
     * @param time since its start
     */
    public record RunningHandler(String id, int attempt, Duration time) {}

    /**
     * Attempts that ended within the last minute.
     *
     * @param succeeded number of attempts whose message was acknowledged
     * @param retried number of attempts that were followed by a retry
     * @param dead number of attempts whose message was dead-lettered
     * @param handling mean handling time; zero if no attempt ended
     * @param failure the most frequent failure of the minute, class and text of its last exception; null if no attempt
     *     failed
     * @param failing time since the first failure of this class; the class is forgotten after a minute without it; zero
     *     if no attempt failed
     * @param sinceSuccess time since the last attempt whose message was acknowledged; null if there was none
     */
    public record Attempts(
            long succeeded,
            long retried,
            long dead,
            Duration handling,
            @Nullable String failure,
            Duration failing,
            @Nullable Duration sinceSuccess) {

        /** No attempts. */
        public static final Attempts NONE = new Attempts(0, 0, 0, Duration.ZERO, null, Duration.ZERO, null);

        /** Counts without times and failures. */
        public static Attempts counted(long succeeded, long retried, long dead) {
            return new Attempts(succeeded, retried, dead, Duration.ZERO, null, Duration.ZERO, null);
        }

        /** The attempts of two listeners; the failure is that of the one with more failed attempts. */
        public Attempts plus(Attempts other) {
            long all = all() + other.all();
            Attempts worse = other.failed() > failed() ? other : this;
            return new Attempts(
                    succeeded + other.succeeded,
                    retried + other.retried,
                    dead + other.dead,
                    all == 0
                            ? Duration.ZERO
                            : handling.multipliedBy(all())
                                    .plus(other.handling.multipliedBy(other.all()))
                                    .dividedBy(all),
                    worse.failure,
                    worse.failing,
                    shorter(sinceSuccess, other.sinceSuccess));
        }

        private static @Nullable Duration shorter(@Nullable Duration one, @Nullable Duration other) {
            return one == null || (other != null && other.compareTo(one) < 0) ? other : one;
        }

        /** Number of attempts that failed. */
        public long failed() {
            return retried + dead;
        }

        /** Number of all attempts. */
        public long all() {
            return succeeded + retried + dead;
        }
    }
}
