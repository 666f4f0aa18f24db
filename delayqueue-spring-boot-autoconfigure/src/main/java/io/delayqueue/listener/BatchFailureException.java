package io.delayqueue.listener;

import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a batch handler to say which of its messages failed; the others are acknowledged. An instance that names
 * none fails all, as any other exception does.
 */
public final class BatchFailureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Map<String, Throwable> failures = new LinkedHashMap<>();
    private final transient IdentityHashMap<Object, Throwable> byPayload = new IdentityHashMap<>();

    /** Names none yet. */
    public BatchFailureException(String message) {
        super(message);
    }

    /** Names a failed message by its id. */
    public BatchFailureException failed(String id, Throwable cause) {
        failures.put(id, cause);
        addSuppressed(cause);
        return this;
    }

    /** Names a failed message by the payload object that the handler was given. */
    public BatchFailureException failedPayload(Object payload, Throwable cause) {
        byPayload.put(payload, cause);
        addSuppressed(cause);
        return this;
    }

    /** Whether no message was named. */
    public boolean namesNone() {
        return failures.isEmpty() && byPayload.isEmpty();
    }

    /** Why this delivery failed, or null if it didn't. */
    public @Nullable Throwable failureOf(Delivery delivery) {
        Throwable named = failures.get(delivery.id());
        return named != null ? named : byPayload.get(delivery.payload());
    }
}
