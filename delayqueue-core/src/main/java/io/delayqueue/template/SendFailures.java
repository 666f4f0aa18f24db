package io.delayqueue.template;

import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Unknown;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.TopicConflictException;
import org.jspecify.annotations.Nullable;

/** Translates a failed call into the result of its message or cancel. */
final class SendFailures {

    private SendFailures() {}

    /** Returns the result of a message whose store call failed. */
    static Failed of(PendingMessage message, Throwable failure) {
        Throwable cause = Completions.cause(failure);
        if (cause instanceof RedisCallException call) {
            return call.isOutcomeUnknown()
                    ? message.unknown(reason(call), problem(call), call)
                    : notStored(message, call);
        }
        // any other exception was thrown while the reply was read, after the script had run
        return cause instanceof TopicConflictException
                ? notStored(message, cause)
                : message.unknown(Reason.UNREADABLE_REPLY, "", cause);
    }

    /** Returns the result of a cancel whose call failed. */
    static Failed of(PendingCancel cancel, Throwable failure) {
        Throwable cause = Completions.cause(failure);
        Reason reason = Reason.UNREADABLE_REPLY;
        if (cause instanceof RedisCallException call) {
            reason = reason(call);
        } else if (cause instanceof TopicConflictException) {
            reason = Reason.TOPIC_CONFLICT;
        }
        return cancel.notStored(reason, String.valueOf(cause.getMessage()), cause);
    }

    /** Describes the failure. A timeout adds nothing to the message of {@link OutcomeUnknownException}. */
    private static String problem(RedisCallException call) {
        return switch (call.kind()) {
            case STOPPED -> "Redis replied with an error that may have followed a write (" + call.getMessage() + ")";
            case NOT_CONFIRMED -> String.valueOf(call.getMessage());
            default -> "";
        };
    }

    /** Returns the result of a message whose call failed before the message was sent. */
    static Failed notStored(PendingMessage message, Throwable failure) {
        Throwable cause = Completions.cause(failure);
        if (cause instanceof RedisCallException call) {
            return message.notStored(reason(call), detail(call), call);
        }
        return message.notStored(
                cause instanceof TopicConflictException ? Reason.TOPIC_CONFLICT : Reason.FAILED,
                String.valueOf(cause.getMessage()),
                cause);
    }

    /** Returns the result of a message that was not sent because an earlier one had no reply. */
    static Failed notTried(PendingMessage message, @Nullable Throwable failure) {
        return message.notStored(
                Reason.NOT_SENT,
                "it was not sent because Redis did not reply to the messages before it; send it again",
                failure);
    }

    /**
     * Returns the result of a message that was rejected because its topic is full.
     *
     * @param limit number of messages that the topic may have
     */
    static Failed full(PendingMessage message, long limit) {
        return message.notStored(
                Reason.FULL,
                "topic " + Printable.of(message.topic()) + " is full: its limit of scheduled and leased messages"
                        + " (max-messages) is " + limit
                        + ". Send the message again when some are handled, or raise the limit",
                null);
    }

    /** Returns the result of a message that was rejected because its topic is ordered. */
    static Failed keyMissing(PendingMessage message) {
        return message.notStored(
                Reason.INVALID,
                "it has no key, but topic " + Printable.of(message.topic()) + " is ordered (keys=ordered)."
                        + " Set the key of what is to be handled in order",
                null);
    }

    /** Returns the result of a message that was rejected because its topic is registered without keys. */
    static Failed keyUnused(PendingMessage message) {
        String topic = Printable.of(message.topic());
        return message.notStored(
                Reason.INVALID,
                "it has a key, but topic " + topic + " is registered without keys. Send it without a key, or delete the"
                        + " empty topic and set delayqueue.topics[" + topic + "].keys to ordered or fair",
                null);
    }

    /** Whether sending the message again may help. */
    static boolean isTransient(SendResult result) {
        Reason reason = reason(result);
        return reason != null && reason.isTransient();
    }

    /** Returns the failure if Redis did not reply, so that further sends would fail, too; else null. */
    static @Nullable Throwable noReply(SendResult result) {
        Reason reason = reason(result);
        return reason == Reason.NOT_SENT || reason == Reason.NO_REPLY ? cause(result) : null;
    }

    /** Whether a single message of the call may have caused the failure of all. */
    static boolean mayConcernOneMessage(SendResult result) {
        Reason reason = reason(result);
        return reason == Reason.REDIS_ERROR
                || reason == Reason.MEMORY_FULL
                || reason == Reason.UNREADABLE_REPLY
                || reason == Reason.FAILED;
    }

    private static @Nullable Reason reason(SendResult result) {
        return result instanceof Unknown unknown
                ? unknown.reason()
                : result instanceof Rejected rejected ? rejected.reason() : null;
    }

    private static @Nullable Throwable cause(SendResult result) {
        return result instanceof Unknown unknown
                ? unknown.cause()
                : result instanceof Rejected rejected ? rejected.cause() : null;
    }

    private static Reason reason(RedisCallException call) {
        return switch (call.kind()) {
            case NOT_SENT -> Reason.NOT_SENT;
            case UNKNOWN -> Reason.NO_REPLY;
            case MEMORY_FULL -> Reason.MEMORY_FULL;
            case TRY_AGAIN, REJECTED, STOPPED -> Reason.REDIS_ERROR;
            case NOT_CONFIRMED -> Reason.NOT_CONFIRMED;
        };
    }

    private static String detail(RedisCallException call) {
        return call.kind() == Kind.MEMORY_FULL
                ? "Redis' memory is full. It stores no messages until some are handled or maxmemory is raised. "
                        + call.getMessage()
                : call.getMessage() + ". Send the message again when the error is corrected.";
    }
}
