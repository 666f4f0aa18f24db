package io.delayqueue.message;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What became of one message of a send. */
public sealed interface SendResult {

    /** The message's topic. */
    String topic();

    /** The message's id, generated where none was given. */
    String id();

    /** The message, or one with its id that was to be kept, is in Redis. */
    sealed interface Success extends SendResult {}

    /** The message was not stored, or nobody knows whether it was. */
    sealed interface Failed extends SendResult {}

    /**
     * Stored.
     *
     * @param dueAt when it is due, by Redis' clock
     */
    record Accepted(String topic, String id, Instant dueAt) implements Success {}

    /**
     * Stored in the place of a live message of the same id.
     *
     * @param dueAt when it is due, by Redis' clock
     */
    record Replaced(String topic, String id, Instant dueAt) implements Success {}

    /** A live message of that id was kept, as the message asked. */
    record Kept(String topic, String id) implements Success {}

    /** A message of that id is live: nothing changed. */
    record Duplicate(String topic, String id) implements Failed {}

    /**
     * Not stored.
     *
     * @param reason what was wrong and what to do
     * @param cause what was thrown, where something was
     */
    record Refused(
            String topic,
            String id,
            String reason,
            @Nullable Throwable cause) implements Failed {

        /** Without a cause. */
        public Refused(String topic, String id, String reason) {
            this(topic, id, reason, null);
        }
    }

    /**
     * Perhaps stored: Redis did not answer in time, or with an error that may have come midway.
     *
     * @param message the message with its id, to be sent again: if the first send did arrive, the second is recognised
     *     as its repeat
     */
    record Unknown(DelayMessage message, Throwable cause) implements Failed {

        @Override
        public String topic() {
            return message.topic();
        }

        @Override
        public String id() {
            String id = message.id();
            return id == null ? "" : id;
        }
    }
}
