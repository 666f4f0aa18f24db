package io.delayqueue.message;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Result for one message of a send. */
public sealed interface SendResult {

    /** The message's topic. */
    String topic();

    /** The message's id; the generated one if the message had none. */
    String id();

    /** Redis holds the message, or the live message of the same id that was kept. */
    sealed interface Success extends SendResult {}

    /** The message was not stored, or may have been stored. */
    sealed interface Failed extends SendResult {}

    /** Why a message was not stored, or why the outcome is unknown. */
    enum Reason {
        /** The id, due time, size or a header of the message is invalid. */
        INVALID,
        /** An interceptor rejected it. */
        INTERCEPTED,
        /** The payload converter or an interceptor failed. */
        FAILED,
        /** The stored configuration of the topic, such as its number of shards, differs from that of this process. */
        TOPIC_CONFLICT,
        /** The message was not sent: Redis was unavailable, or did not reply to the messages before it. */
        NOT_SENT,
        /** Redis is out of memory. */
        MEMORY_FULL,
        /** The topic is full: it has as many scheduled and leased messages as its limit {@code max-messages} permits. */
        FULL,
        /** Redis replied with another error. */
        REDIS_ERROR,
        /** Redis did not reply before the timeout, or the connection broke. */
        NO_REPLY,
        /** The reply could not be read. */
        UNREADABLE_REPLY,
        /**
         * The message is stored on the master, but its {@link Durability} was not confirmed in time: it is lost if a
         * replica without it is promoted.
         */
        NOT_CONFIRMED;

        /** Whether sending the same message again may succeed. */
        public boolean isTransient() {
            return switch (this) {
                case NOT_SENT, MEMORY_FULL, FULL, REDIS_ERROR, NO_REPLY, UNREADABLE_REPLY, NOT_CONFIRMED -> true;
                default -> false;
            };
        }
    }

    /**
     * The message is stored, perhaps as the first successor of a live one, see {@link OnDuplicate#AFTER_RUNNING}.
     *
     * @param dueAt when it is due, by Redis' clock; a successor not before it takes over
     */
    record Accepted(String topic, String id, Instant dueAt) implements Success {}

    /**
     * The message is stored and replaced a live message of the same id, or the successor of one.
     *
     * @param dueAt when it is due, by Redis' clock; a successor not before it takes over
     */
    record Replaced(String topic, String id, Instant dueAt) implements Success {}

    /**
     * A live message of the same id was kept, as {@link OnDuplicate#KEEP} requests or because it or its successor has a
     * greater version.
     */
    record Kept(String topic, String id) implements Success {}

    /** A message of the same id is live; nothing changed. */
    record Duplicate(String topic, String id) implements Failed {}

    /**
     * The message is certainly not stored: neither by this send nor, if it is a repeat, by an earlier one.
     *
     * @param reason why
     * @param detail what was wrong and what to do, in one sentence
     * @param cause the exception; null if there was none
     */
    record Rejected(
            String topic,
            String id,
            Reason reason,
            String detail,
            @Nullable Throwable cause) implements Failed {

        /** Rejected by an interceptor. */
        public Rejected(String topic, String id, String detail) {
            this(topic, id, Reason.INTERCEPTED, detail, null);
        }
    }

    /**
     * The message may be stored: Redis did not reply in time, or replied with an error that may have occurred after
     * the message was stored. With the reason {@link Reason#NOT_CONFIRMED} it is stored, but a failover may lose it. A failed repeat of such a send is unknown, too.
     *
     * @param message the message with its id, to be sent again; if the first send stored it, the second one is
     *     recognised as its repeat
     * @param reason why the outcome is unknown; for a repeat, why the repeat did not store the message
     * @param detail what was wrong, in one sentence; may be empty
     * @param cause the exception; null if there was none
     */
    record Unknown(
            DelayMessage message,
            Reason reason,
            String detail,
            @Nullable Throwable cause) implements Failed {

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
