package io.delayqueue.autoconfigure.http;

/** Thrown if an enabled HTTP interface cannot be served or has no access control. */
final class HttpInterfaceException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * Creates an exception.
     *
     * @param problem what is wrong
     * @param action what to do
     */
    public HttpInterfaceException(String problem, String action) {
        super(problem);
        this.action = action;
    }

    /** Returns what to do. */
    public String action() {
        return action;
    }
}
