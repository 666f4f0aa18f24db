package io.delayqueue.template;

import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Reason;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a transaction does after its commit: a send or a cancel. It ends with a result and can be repeated. */
sealed interface CommitOperation permits PendingMessage, PendingCancel {

    /** Topic of the message. */
    String topic();

    /** Id of the message. */
    String id();

    /** Whether the id was generated for this operation, so that no other one has it. */
    boolean hasNewId();

    /** The result; never fails. */
    CompletableFuture<SendResult> result();

    /** Begins another attempt, which has its own result. */
    void repeat();

    /** Returns the result of an operation that was not done. */
    Failed notStored(Reason reason, String detail, @Nullable Throwable cause);

    /** Gives the result to the interceptors, if they wait for it. */
    void release(SendResult of);
}
