package io.delayqueue.store.idempotency;

/** An idempotency key came with another request than it was reserved for. Nothing changed. */
public final class KeyReusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With the key. */
    public KeyReusedException(String key) {
        super("The idempotency key '" + key + "' was used with another request in the last 24 hours");
    }
}
