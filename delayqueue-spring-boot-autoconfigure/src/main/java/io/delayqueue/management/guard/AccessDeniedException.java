package io.delayqueue.management.guard;

/** A request is not authorized. The message says what is wrong and what to do. */
public final class AccessDeniedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Rejection rejection;

    /** Creates an exception without a stack trace. */
    public AccessDeniedException(Rejection rejection) {
        super(rejection.sentence(), null, false, false);
        this.rejection = rejection;
    }

    /** Returns the rejection, which has the HTTP status of the response. */
    public Rejection rejection() {
        return rejection;
    }
}
