package io.delayqueue.store.idempotency;

/** An idempotency key was used for another request than the one for which it is reserved. Nothing was written. */
public final class KeyReusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception for a key. */
    public KeyReusedException(String key) {
        super("The idempotency key '" + key + "' was used with another request in the last 24 hours");
    }
}
