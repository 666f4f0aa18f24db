package io.delayqueue.template;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import java.util.concurrent.CompletionStage;

/**
 * Stands around the sending of each message: tracing, headers that all messages are to carry. Beans of this type apply to
 * every send, in their order, the first one outermost. Must be thread-safe.
 *
 * <p>A blocking send runs within {@link Next#proceed()}. Of an asynchronous send, of a batch and of a send after commit,
 * only the beginning does: the send is over when the stage ends. What an interceptor throws before it has proceeded
 * refuses the message; once it has, the outcome of the send stands and the exception is logged.
 */
@FunctionalInterface
public interface SendInterceptor {

    /**
     * Calls {@code next} and returns its stage, or one that ends after it with the same result.
     *
     * @param sending what is sent; headers are to be added before {@code next} is called
     * @param next the rest of the chain; to be called once, before this method returns
     * @return ends normally, also when the send failed: see {@link SendResult.Failed}
     */
    CompletionStage<SendResult> around(Sending sending, Next next);

    /** A message on its way. */
    interface Sending {

        /** The message, with its id. */
        DelayMessage message();

        /** The message's topic. */
        String topic();

        /** The message's id, generated where none was given. */
        String id();

        /**
         * Adds a header, or replaces the one of that name.
         *
         * @param name not blank
         * @param value any text
         */
        void header(String name, String value);
    }

    /** The rest of the chain. */
    @FunctionalInterface
    interface Next {

        /** Sends the message. */
        CompletionStage<SendResult> proceed();
    }
}
