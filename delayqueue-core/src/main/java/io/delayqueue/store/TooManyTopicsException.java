package io.delayqueue.store;

import io.delayqueue.message.Printable;

/** A topic was not registered, because the limit of topics is reached. Nothing was written. */
public final class TooManyTopicsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param topic the topic that was not registered
     * @param max largest number of registered topics
     */
    public TooManyTopicsException(String topic, int max) {
        super("Topic '" + Printable.of(topic) + "' was not created, because the limit of " + max
                + " topics is reached (delayqueue.http.max-topics). Delete unused topics, or raise the limit");
    }
}
