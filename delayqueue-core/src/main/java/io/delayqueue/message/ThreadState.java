package io.delayqueue.message;

import io.delayqueue.Internal;
import org.jspecify.annotations.Nullable;

/**
 * What code of an application may change of the thread that calls it. It is restored after each call, so that the next
 * message, callback or task of the thread does not meet it.
 */
@Internal
public record ThreadState(
        Thread thread, boolean interrupted, @Nullable ClassLoader contextClassLoader, String name, int priority) {

    /** Returns the state of the calling thread. */
    public static ThreadState current() {
        Thread thread = Thread.currentThread();
        return new ThreadState(
                thread, thread.isInterrupted(), thread.getContextClassLoader(), thread.getName(), thread.getPriority());
    }

    /** Restores the state. The calling thread is the one of {@link #current()}. */
    @SuppressWarnings("ThreadPriorityCheck") // undoes a change of the application
    public void restore() {
        if (interrupted) {
            thread.interrupt();
        } else {
            Thread.interrupted();
        }
        if (thread.getContextClassLoader() != contextClassLoader) {
            thread.setContextClassLoader(contextClassLoader);
        }
        if (!thread.getName().equals(name)) {
            thread.setName(name);
        }
        if (thread.getPriority() != priority) {
            thread.setPriority(priority);
        }
    }
}
