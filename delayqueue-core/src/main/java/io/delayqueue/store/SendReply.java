package io.delayqueue.store;

import io.delayqueue.redis.RedisCallException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The result of a send for one message.
 *
 * @param outcome outcome of the send
 * @param dueAt due time of the message
 * @param repeated whether an earlier execution of the same send had this outcome; then this execution changed nothing
 * @param limit number of messages that a full topic permits; 0 for other outcomes
 * @param unconfirmed why the durability is not confirmed; null if it is, or none was asked for
 */
public record SendReply(
        Outcome outcome,
        Instant dueAt,
        boolean repeated,
        long limit,
        @Nullable RedisCallException unconfirmed) {

    /** The outcome of sending one message. */
    public enum Outcome {
        /** The message was stored. */
        ACCEPTED,
        /** The message was stored and replaced a live message with the same id. */
        REPLACED,
        /** A live message with the same id was kept, as requested or because it has a greater version. */
        KEPT,
        /** The message was rejected, because a message with the same id is live. */
        DUPLICATE,
        /** The message was rejected, because it has no key, but its topic is ordered. */
        KEY_MISSING,
        /** The message was rejected, because it has a key, but its topic is registered without keys. */
        KEY_UNUSED,
        /** The message was rejected, because the topic has as many messages as its limit permits. Is never remembered. */
        FULL
    }
}
