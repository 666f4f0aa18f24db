package io.delayqueue.template;

import io.delayqueue.event.FailureLog;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Printable;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Reason;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Passes one message through the interceptors. */
final class InterceptedSend {

    private static final Log log = LogFactory.getLog(InterceptedSend.class);

    private final List<SendInterceptor> interceptors;
    private final SendLimits limits;
    private final PendingMessage message;
    private final Function<PendingMessage, CompletableFuture<SendResult>> last;
    private volatile @Nullable CompletableFuture<SendResult> sent;

    /**
     * Creates the passage; {@link #send} starts it.
     *
     * @param limits limits of the headers, because interceptors may add headers
     * @param last the end of the chain; its future always completes normally
     */
    InterceptedSend(
            List<SendInterceptor> interceptors,
            SendLimits limits,
            PendingMessage message,
            Function<PendingMessage, CompletableFuture<SendResult>> last) {
        this.interceptors = interceptors;
        this.limits = limits;
        this.message = message;
        this.last = last;
    }

    /** Returns a future that always completes normally, after all interceptors. */
    CompletableFuture<SendResult> send() {
        CompletionStage<SendResult> stage;
        try {
            stage = from(0).proceed();
        } catch (Throwable e) { // user code may throw anything, checked exceptions included
            return resultDespite(e);
        }
        return stage.handle((result, failure) -> failure == null && result != null
                        ? CompletableFuture.completedFuture(message.corrected(result))
                        : resultDespite(failure))
                .thenCompose(Function.identity())
                .toCompletableFuture();
    }

    private SendInterceptor.Next from(int index) {
        return index == interceptors.size()
                ? this::sendOnce
                : () -> interceptors.get(index).around(message, from(index + 1));
    }

    private CompletionStage<SendResult> sendOnce() {
        CompletableFuture<SendResult> before = sent;
        if (before != null) {
            return before;
        }
        String objection = message.objection(limits);
        CompletableFuture<SendResult> result = objection == null
                ? last.apply(message)
                : CompletableFuture.completedFuture(message.notStored(Reason.INVALID, objection, null));
        sent = result;
        return result;
    }

    /** The result after an interceptor failed: the result of the send, if it was sent. */
    private CompletableFuture<SendResult> resultDespite(@Nullable Throwable failure) {
        CompletableFuture<SendResult> result = sent;
        if (result == null) {
            Throwable cause = failure == null ? null : Completions.cause(failure);
            String why = cause == null ? "null" : Failure.of(cause).summary();
            return CompletableFuture.completedFuture(
                    message.notStored(Reason.FAILED, "an interceptor failed: " + why, cause));
        }
        String what = "An interceptor failed while it sent message " + Printable.of(message.id()) + " to topic "
                + Printable.of(message.topic()) + ". The result of the send is not affected";
        if (failure == null) {
            log.warn(what);
        } else {
            FailureLog.log(log::warn, what, failure);
        }
        return result;
    }
}
