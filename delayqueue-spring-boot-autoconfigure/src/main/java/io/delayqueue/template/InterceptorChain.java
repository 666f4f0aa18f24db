package io.delayqueue.template;

import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Refused;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Leads each message through the interceptors. Thread-safe. */
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
     * @param last the end of the chain; its future ends normally
     * @return ends normally, when each interceptor is done
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
        } catch (RuntimeException e) {
            return passage.inSpiteOf(e);
        }
        return stage.handle((result, failure) -> failure == null && result != null
                        ? CompletableFuture.completedFuture(result)
                        : passage.inSpiteOf(failure))
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
                    ? this::handOver
                    : () -> interceptors.get(index).around(message, from(index + 1));
        }

        private CompletionStage<SendResult> handOver() {
            CompletableFuture<SendResult> before = sent;
            if (before != null) {
                return before;
            }
            String objection = preparer.objectionToHeaders(message);
            CompletableFuture<SendResult> result = objection == null
                    ? last.apply(message)
                    : CompletableFuture.completedFuture(message.refused(objection));
            sent = result;
            return result;
        }

        /** An interceptor's failure must not belie what became of the message. */
        CompletableFuture<SendResult> inSpiteOf(@Nullable Throwable failure) {
            CompletableFuture<SendResult> result = sent;
            if (result == null) {
                Throwable cause = failure == null ? null : SendFailures.unwrap(failure);
                return CompletableFuture.completedFuture(
                        new Refused(message.topic(), message.id(), "an interceptor failed: " + cause, cause));
            }
            log.warn("An interceptor failed around the sending of " + message.id() + " to " + message.topic(), failure);
            return result;
        }
    }
}
