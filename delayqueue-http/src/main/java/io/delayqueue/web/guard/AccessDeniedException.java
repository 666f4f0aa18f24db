package io.delayqueue.web.guard;

/** A request is not authorized. The message says what is wrong and what to do. */
public final class AccessDeniedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Rejection rejection;

    AccessDeniedException(Rejection rejection, String sentence) {
        super(sentence, null, false, false);
        this.rejection = rejection;
    }

    /** Returns the reason, which has the HTTP status of the response. */
    public Rejection rejection() {
        return rejection;
    }
}
