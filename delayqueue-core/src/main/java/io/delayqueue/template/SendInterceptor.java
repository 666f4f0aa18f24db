package io.delayqueue.template;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import java.util.concurrent.CompletionStage;

/**
 * Intercepts the sending of each message, for example to trace sends or to add headers. Beans of this type apply to
 * every send, in their order, the first one outermost. Implementations must be thread-safe.
 *
 * <p>A blocking send runs inside {@link Next#proceed()}. An asynchronous send, a batch and a send after commit only
 * start there; they end when the returned stage completes. An exception that an interceptor throws before it calls
 * {@code proceed()} rejects the message. A later exception is logged and does not change the result of the send.
 */
@FunctionalInterface
public interface SendInterceptor {

    /**
     * Calls {@code next} and returns its stage, or a dependent stage with the same result.
     *
     * @param sending the message to send; add headers before the call of {@code next}
     * @param next the rest of the chain; call it once, before this method returns
     * @return completes normally even if the send fails; see {@link SendResult.Failed}
     */
    CompletionStage<SendResult> around(Sending sending, Next next);

    /** A message to be sent. */
    interface Sending {

        /** The message, with its id. */
        DelayMessage message();

        /** The message's topic. */
        String topic();

        /** The message's id; generated if the message has none. */
        String id();

        /**
         * Adds a header, or replaces the header with the same name.
         *
         * @param name not blank
         * @param value any text
         * @throws IllegalArgumentException if the name is blank
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
