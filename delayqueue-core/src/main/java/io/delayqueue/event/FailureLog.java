package io.delayqueue.event;

import io.delayqueue.Internal;
import java.util.function.BiConsumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Logs exceptions, including those whose {@code toString} or {@code getMessage} throws. */
@Internal
public final class FailureLog {

    private static final Log log = LogFactory.getLog(FailureLog.class);

    private FailureLog() {}

    /**
     * Logs a failure. Never throws: if the exception itself cannot be logged, its class name is.
     *
     * @param level the log method, such as {@code log::warn}
     * @param what what failed
     */
    public static void log(BiConsumer<Object, Throwable> level, String what, Throwable failure) {
        try {
            level.accept(what, failure);
        } catch (Throwable e) {
            log.warn(what + " (" + failure.getClass().getName() + ")");
        }
    }
}
