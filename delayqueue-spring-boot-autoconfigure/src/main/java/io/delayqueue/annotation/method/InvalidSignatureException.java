package io.delayqueue.annotation.method;

import org.jspecify.annotations.Nullable;

/** A method that can't be a listener as it is declared. */
public final class InvalidSignatureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String fix;

    InvalidSignatureException(String problem, String fix) {
        this(problem, fix, null);
    }

    InvalidSignatureException(String problem, String fix, @Nullable Throwable cause) {
        super(problem + " " + fix, cause);
        this.problem = problem;
        this.fix = fix;
    }

    /** What is wrong: a sentence. */
    public String problem() {
        return problem;
    }

    /** What to do: a sentence that begins with a verb. */
    public String fix() {
        return fix;
    }
}
