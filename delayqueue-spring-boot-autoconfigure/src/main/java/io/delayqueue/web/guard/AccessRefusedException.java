package io.delayqueue.web.guard;

/** A request is not handled, since its client was not let in. */
public final class AccessRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;

    AccessRefusedException(Refusal refusal) {
        super(refusal.sentence());
        this.refusal = refusal;
    }

    /** Why. */
    public Refusal refusal() {
        return refusal;
    }
}
