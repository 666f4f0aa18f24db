package io.delayqueue.store;

import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Failure;
import java.time.Duration;

/** The end of a delivery. Nothing changes unless the message is live under the token. */
public sealed interface Settle {

    /** The message's id. */
    String id();

    /** The claim's token. */
    String token();

    /** Done: the message goes. */
    record Acknowledge(String id, String token) implements Settle {}

    /**
     * Scheduled again after a delay, by Redis' clock.
     *
     * @param delay of what is longer than ten years, ten years
     */
    record Retry(String id, String token, Duration delay, Failure failure) implements Settle {

        private static final Duration LONGEST_DELAY = Duration.ofDays(3650);

        /** Bounds the delay: one that can't be written would fail the answers that share its step. */
        public Retry {
            delay = delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
        }
    }

    /** To the dead letters. */
    record Bury(String id, String token, DeathCause cause, Failure failure) implements Settle {}

    /** Not begun: scheduled at its old due time, the attempt uncounted. */
    record Release(String id, String token) implements Settle {}
}
