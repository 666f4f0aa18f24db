package io.delayqueue.autoconfigure.failure;

/** An HTTP door is to be open, but can't be, or must not be as it is. */
public final class HttpDoorException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * With two sentences.
     *
     * @param problem what is wrong
     * @param action what to do about it
     */
    public HttpDoorException(String problem, String action) {
        super(problem);
        this.action = action;
    }

    String action() {
        return action;
    }
}
