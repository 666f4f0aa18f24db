package io.delayqueue.template;

import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Refused;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.SendResult.Unknown;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.TopicConflictException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** What a failed call says about its message, and how that is told. */
final class SendFailures {

    private SendFailures() {}

    /** What became of a message whose store call failed. */
    static Failed of(PendingMessage message, Throwable failure) {
        Throwable cause = unwrap(failure);
        // what is neither was thrown over the reply, when the script had run
        boolean unknown = cause instanceof RedisCallException call
                ? call.mayHaveWritten()
                : !(cause instanceof TopicConflictException);
        return unknown ? new Unknown(message.repeatable(), cause) : notStored(message, cause);
    }

    /** What became of a message when the call failed before the message was on its way. */
    static Refused notStored(PendingMessage message, Throwable failure) {
        Throwable cause = unwrap(failure);
        return new Refused(message.topic(), message.id(), reason(cause), cause);
    }

    /** Of a message that was not sent since another one before it got no answer. */
    static Refused notTried(PendingMessage message, @Nullable Throwable failure) {
        return new Refused(
                message.topic(),
                message.id(),
                "it was not sent, since Redis did not answer to the messages before it; send it again",
                failure);
    }

    /** What was thrown, if anything was. */
    static @Nullable Throwable cause(SendResult result) {
        if (result instanceof Unknown unknown) {
            return unknown.cause();
        }
        return result instanceof Refused refused ? refused.cause() : null;
    }

    /** Whether sending the message again may help. */
    static boolean isPassing(SendResult result) {
        return result instanceof Unknown
                || (result instanceof Refused refused && refused.cause() instanceof RedisCallException);
    }

    /** Whether Redis gave no answer at all, so that the next message would fare no better. */
    static boolean isUnanswered(SendResult result) {
        return cause(result) instanceof RedisCallException call
                ? call.kind() != Kind.REFUSED
                : result instanceof Unknown;
    }

    /** Why Redis gave no answer to a call; null if it gave one. */
    static @Nullable Throwable silence(SendResult result) {
        return cause(result) instanceof RedisCallException call && call.kind() != Kind.REFUSED ? call : null;
    }

    /** Whether a call was answered with a failure that one of its messages may have caused for all. */
    static boolean mayBeANeighbours(SendResult result) {
        Throwable cause = cause(result);
        return cause instanceof RedisCallException call
                ? call.kind() == Kind.REFUSED
                : cause != null && !(cause instanceof TopicConflictException);
    }

    /** What is known of a message that was sent twice: what may have been stored at first isn't "not stored" later. */
    static SendResult afterRepeat(SendResult first, SendResult second) {
        return first instanceof Unknown && second instanceof Refused ? first : second;
    }

    private static String reason(Throwable cause) {
        if (!(cause instanceof RedisCallException call)) {
            return String.valueOf(cause.getMessage());
        }
        String said = String.valueOf(call.getMessage());
        if (call.kind() == Kind.REFUSED && said.contains("OOM ")) {
            return "Redis' memory is full, and takes no messages until some are handled or maxmemory is raised. "
                    + said;
        }
        return said + ". Send it again once that is put right.";
    }

    /** The success, or the exception that tells the failure. */
    static Success successOf(SendResult result) {
        if (result instanceof Success success) {
            return success;
        }
        throw exception((Failed) result);
    }

    static DelayQueueException exception(Failed failed) {
        if (failed instanceof Refused refused) {
            return new MessageRefusedException(refused.topic(), refused.id(), refused.reason(), refused.cause());
        }
        if (failed instanceof Unknown unknown) {
            return new OutcomeUnknownException(unknown.message(), unknown.cause());
        }
        return new DuplicateMessageException(failed.topic(), failed.id());
    }

    static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
