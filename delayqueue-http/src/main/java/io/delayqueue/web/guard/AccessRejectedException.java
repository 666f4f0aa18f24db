package io.delayqueue.web.guard;

/** A request was rejected because its client is not authorized. */
public final class AccessRejectedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Rejection rejection;

    AccessRejectedException(Rejection rejection) {
        super(rejection.sentence());
        this.rejection = rejection;
    }

    /** Returns the reason. */
    public Rejection rejection() {
        return rejection;
    }
}
