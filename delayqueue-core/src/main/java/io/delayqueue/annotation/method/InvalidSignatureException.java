package io.delayqueue.annotation.method;

import org.jspecify.annotations.Nullable;

/** The signature of a method does not fit a listener. */
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

    /** What is wrong, as a sentence. */
    public String problem() {
        return problem;
    }

    /** What to do, as a sentence that begins with a verb. */
    public String fix() {
        return fix;
    }
}
