package io.delayqueue.autoconfigure.failure;

import org.jspecify.annotations.Nullable;

/** Thrown if the application must not start. States the description and the action of the failure analysis. */
public sealed class StartFailedException extends RuntimeException permits InvalidPropertyException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * Creates the exception.
     *
     * @param description sentences that describe the problem; the exception's message
     * @param action sentences that say what to do
     */
    public StartFailedException(String description, String action) {
        this(description, action, null);
    }

    /**
     * Creates the exception.
     *
     * @param description sentences that describe the problem; the exception's message
     * @param action sentences that say what to do
     * @param cause the failure that the sentences describe
     */
    public StartFailedException(String description, String action, @Nullable Throwable cause) {
        super(description, cause);
        this.action = action;
    }

    /** Returns the sentences that say what to do. */
    public String action() {
        return action;
    }
}
