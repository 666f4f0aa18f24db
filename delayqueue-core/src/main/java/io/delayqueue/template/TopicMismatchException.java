package io.delayqueue.template;

import org.jspecify.annotations.Nullable;

/**
 * The stored topic does not match this process: it has another number of shards, or a format of a newer version.
 * Also thrown if others delete the topic or register it again during each attempt. No message was stored or changed.
 */
public final class TopicMismatchException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message that contains the attempt, the mismatch and a remedy. */
    public TopicMismatchException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
