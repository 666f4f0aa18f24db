package io.delayqueue.testing;

import java.io.PrintWriter;
import java.util.function.Supplier;

/** An exception whose methods all throw, also checked exceptions. */
public final class HostileException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Supplier<Throwable> thrown;

    public HostileException(Supplier<Throwable> thrown) {
        this.thrown = thrown;
    }

    private RuntimeException rejection() {
        HostileException.<RuntimeException>sneak(thrown.get());
        return this;
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Override
    public String getMessage() {
        throw rejection();
    }

    @Override
    public String getLocalizedMessage() {
        throw rejection();
    }

    @Override
    public synchronized Throwable getCause() {
        throw rejection();
    }

    @Override
    public String toString() {
        throw rejection();
    }

    @Override
    public void printStackTrace(PrintWriter writer) {
        throw rejection();
    }

    @Override
    public StackTraceElement[] getStackTrace() {
        throw rejection();
    }

    @Override
    public boolean equals(Object other) {
        throw rejection();
    }

    @Override
    public int hashCode() {
        throw rejection();
    }
}
