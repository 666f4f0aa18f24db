package io.delayqueue.listener;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that can handle no message at present, because a system that it needs is unavailable. The attempt
 * does not count, and the message is scheduled again. The listener claims no messages on this node until the system is
 * available; see {@link ListenerOptions#unavailableOn()}.
 */
public class DependencyUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception with a message, which names the system. */
    public DependencyUnavailableException(String message) {
        this(message, null);
    }

    /** Creates an exception with a message, which names the system, and a cause. */
    public DependencyUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
