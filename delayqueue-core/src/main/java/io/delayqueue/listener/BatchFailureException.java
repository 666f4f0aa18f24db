package io.delayqueue.listener;

import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A batch handler throws this exception to name the messages that failed; the other messages of the batch are
 * acknowledged. An instance that names no message fails the whole batch, as any other exception does. Not
 * thread-safe.
 */
public final class BatchFailureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Map<String, Throwable> failures = new LinkedHashMap<>();
    private final transient IdentityHashMap<Object, Throwable> byPayload = new IdentityHashMap<>();

    /** Creates an exception that names no message yet. */
    public BatchFailureException(String message) {
        super(message);
    }

    /** Adds a failed message by its id. */
    public BatchFailureException failed(String id, Throwable cause) {
        failures.put(id, cause);
        addSuppressed(cause);
        return this;
    }

    /** Adds a failed message by its payload, the same object that the handler received. */
    public BatchFailureException failedPayload(Object payload, Throwable cause) {
        byPayload.put(payload, cause);
        addSuppressed(cause);
        return this;
    }

    /** Whether no failed message was added. */
    public boolean namesNone() {
        return failures.isEmpty() && byPayload.isEmpty();
    }

    /** The failure of a delivery; null if it did not fail. */
    public @Nullable Throwable failureOf(Delivery delivery) {
        Throwable named = failures.get(delivery.id());
        return named != null ? named : byPayload.get(delivery.payload());
    }
}
