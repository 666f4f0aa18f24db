package io.delayqueue.store;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Printable;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A settlement of a delivery. It changes nothing unless the message is leased with the token. */
public sealed interface Settlement {

    /** Id of the message. */
    String id();

    /** Token of the lease. */
    String token();

    /** Whether Redis reads the whole message for this settlement, or may have to. */
    default boolean readsMessage() {
        return false;
    }

    /** The same with the handling time of the attempt, if Redis stores it. */
    default Settlement withHandling(Duration handling) {
        return this;
    }

    /** Acknowledges the delivery and removes the message. */
    record Acknowledge(String id, String token) implements Settlement {}

    /**
     * Schedules the message again after a delay, by Redis' clock.
     *
     * @param delay the delay, at most ten years; a longer one is shortened
     * @param failure the failure of the attempt
     * @param ifAttemptsLeft whether Redis checks the number of attempts, for which it reads the whole message: by receipt,
     *     the number is not known here. The limit is the message's own or, if it has none, that of
     *     {@link PollRequest.Reclaiming}. After the last permitted attempt the message is dead-lettered instead, and
     *     the reply reports the dead letter
     * @param handling handling time of the attempt; null if it is unknown or handling was not started
     */
    record Retry(
            String id,
            String token,
            Duration delay,
            Failure failure,
            boolean ifAttemptsLeft,
            @Nullable Duration handling)
            implements Settlement {

        private static final Duration LONGEST_DELAY = Duration.ofDays(3650);

        /** Limits the delay, because one that is too long to encode would fail all settlements of the same poll. */
        public Retry {
            delay = delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
        }

        /** Creates a retry whose attempts Redis does not check: the caller has checked them by its claim. */
        public Retry(String id, String token, Duration delay, Failure failure) {
            this(id, token, delay, failure, false, null);
        }

        /**
         * Checks a delay.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public static void checkDelay(Duration delay) {
            if (delay.isNegative()) {
                throw new IllegalArgumentException("delay must be zero or more, but was " + DurationText.of(delay));
            }
        }

        @Override
        public boolean readsMessage() {
            return ifAttemptsLeft;
        }

        @Override
        public Retry withHandling(Duration handling) {
            return new Retry(id, token, delay, failure, ifAttemptsLeft, handling);
        }
    }

    /**
     * Dead-letters the message.
     *
     * @param handling handling time of the last attempt; null if it is unknown or handling was not started
     */
    record ToDeadLetters(
            String id,
            String token,
            DeadLetterCause cause,
            Failure failure,
            @Nullable Duration handling) implements Settlement {

        /** Dead-letters the message without a handling time. */
        public ToDeadLetters(String id, String token, DeadLetterCause cause, Failure failure) {
            this(id, token, cause, failure, null);
        }

        /** Dead-letters the message at the request of its consumer. */
        public ToDeadLetters(String id, String token, String reason) {
            this(id, token, DeadLetterCause.REQUESTED, new Failure("requested", reason));
        }

        @Override
        public boolean readsMessage() {
            return true;
        }

        @Override
        public ToDeadLetters withHandling(Duration handling) {
            return new ToDeadLetters(id, token, cause, failure, handling);
        }
    }

    /**
     * Schedules the message again after a delay, by Redis' clock. The attempt does not count, and the crashes of the
     * message are kept. If the message was postponed as often as permitted, it is dead-lettered instead, and the reply
     * reports the dead letter.
     *
     * @param delay the delay, 0 to 3,650 days
     * @param permitted number of postponements that the message may have, for Redis to check; 0 if it is unlimited or was
     *     checked
     * @param lettingOthersPass in an ordered topic, whether other messages of the key may be handled until then. In other
     *     topics it has no effect
     */
    record Postpone(String id, String token, Duration delay, int permitted, boolean lettingOthersPass)
            implements Settlement {

        private static final Duration LONGEST_DELAY = Duration.ofDays(3650);

        /** Checks the delay. */
        public Postpone {
            checkDelay(delay);
        }

        /** Creates a postponement during which a message of an ordered topic holds its key. */
        public Postpone(String id, String token, Duration delay, int permitted) {
            this(id, token, delay, permitted, false);
        }

        /**
         * Checks a delay.
         *
         * @throws IllegalArgumentException if it is out of range
         */
        public static void checkDelay(Duration delay) {
            if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
                throw new IllegalArgumentException("delay must be from 0 to 3650 d, but was " + DurationText.of(delay));
            }
        }

        @Override
        public boolean readsMessage() {
            return permitted > 0;
        }

        /** The failure of the dead letter if no postponement is left. */
        public Failure failure() {
            return new Failure("postpone", "The message was already postponed " + permitted + " times");
        }
    }

    /**
     * Releases a delivery: the attempt does not count.
     *
     * @param delay the delay until the next delivery, by Redis' clock; null if the message keeps its due time
     * @param holdsTopic whether nothing is claimed from the topic during the delay
     */
    record Release(String id, String token, @Nullable Duration delay, boolean holdsTopic) implements Settlement {

        private static final Duration LONGEST_HOLD = Duration.ofHours(1);

        /** Releases a delivery whose message keeps its due time. */
        public Release(String id, String token) {
            this(id, token, null, false);
        }

        /** Releases a delivery and holds its topic. */
        public static Release holding(String id, String token, Duration time) {
            return new Release(id, token, time, true);
        }

        /**
         * Checks that a topic can be held, if this settlement holds it.
         *
         * @throws IllegalArgumentException if the topic has several shards, or the message is a notification of a dead letter
         */
        public Release forShard(Shard shard) {
            if (holdsTopic && (shard.count() > 1 || shard.kind() != QueueKind.MESSAGES)) {
                throw new IllegalArgumentException("Topic " + Printable.of(shard.topic()) + " cannot be held: "
                        + (shard.count() > 1
                                ? "it has " + shard.count()
                                        + " shards. Postpone the message, or use a topic with one shard"
                                : "the message is a notification of a dead letter. Postpone it"));
            }
            return this;
        }

        /**
         * Checks the time of a hold.
         *
         * @throws IllegalArgumentException if it is not from 1 ms to 1 h
         */
        public static void checkHold(Duration time) {
            if (time.toMillis() < 1 || time.compareTo(LONGEST_HOLD) > 0) {
                throw new IllegalArgumentException("time must be from 1 ms to 1 h, but was " + DurationText.of(time));
            }
        }

        @Override
        public boolean readsMessage() {
            return true;
        }
    }

    /**
     * Extends the lease, and never shortens it. The delivery stays unsettled.
     *
     * @param lease least length of the lease, from the time at which the poll runs
     */
    record Extend(String id, String token, Duration lease) implements Settlement {

        private static final Duration SHORTEST = Duration.ofSeconds(1);
        /** The longest lease of a listener, receiver or message, too. */
        private static final Duration LONGEST = Duration.ofDays(1);

        /**
         * Checks the time of an extension.
         *
         * @throws IllegalArgumentException if it is not from 1 s to 1 d
         */
        public static void checkTime(Duration time) {
            if (time.compareTo(SHORTEST) < 0 || time.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException("time must be from 1 s to 1 d, but was " + DurationText.of(time));
            }
        }
    }
}
