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

/** Passes each message through the interceptors. Thread-safe. */
final class InterceptorChain {

    private static final Log log = LogFactory.getLog(InterceptorChain.class);

    private final List<SendInterceptor> interceptors;
    private final MessagePreparer preparer;

    InterceptorChain(List<SendInterceptor> interceptors, MessagePreparer preparer) {
        this.interceptors = List.copyOf(interceptors);
        this.preparer = preparer;
    }

    /**
     * Sends a message.
     *
     * @param last the end of the chain; its future always completes normally
     * @return always completes normally, after all interceptors
     */
    CompletableFuture<SendResult> send(
            PendingMessage message, Function<PendingMessage, CompletableFuture<SendResult>> last) {
        if (interceptors.isEmpty()) {
            return last.apply(message);
        }
        Passage passage = new Passage(message, last);
        CompletionStage<SendResult> stage;
        try {
            stage = passage.from(0).proceed();
        } catch (Throwable e) { // user code may throw anything, checked exceptions included
            return passage.resultDespite(e);
        }
        return stage.handle((result, failure) -> failure == null && result != null
                        ? CompletableFuture.completedFuture(message.confirmed(result))
                        : passage.resultDespite(failure))
                .thenCompose(Function.identity())
                .toCompletableFuture();
    }

    private final class Passage {

        private final PendingMessage message;
        private final Function<PendingMessage, CompletableFuture<SendResult>> last;
        private volatile @Nullable CompletableFuture<SendResult> sent;

        Passage(PendingMessage message, Function<PendingMessage, CompletableFuture<SendResult>> last) {
            this.message = message;
            this.last = last;
        }

        SendInterceptor.Next from(int index) {
            return index == interceptors.size()
                    ? this::sendOnce
                    : () -> interceptors.get(index).around(message, from(index + 1));
        }

        private CompletionStage<SendResult> sendOnce() {
            CompletableFuture<SendResult> before = sent;
            if (before != null) {
                return before;
            }
            String objection = preparer.objectionToHeaders(message);
            CompletableFuture<SendResult> result = objection == null
                    ? last.apply(message)
                    : CompletableFuture.completedFuture(message.notStored(Reason.INVALID, objection, null));
            sent = result;
            return result;
        }

        /** The result after an interceptor failed: the result of the send, if it was sent. */
        CompletableFuture<SendResult> resultDespite(@Nullable Throwable failure) {
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
}
