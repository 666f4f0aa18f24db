package io.delayqueue.container;

import org.jspecify.annotations.Nullable;

/**
 * What code of an application may change of a handler's thread. It is restored after each message, so that the next message
 * of the thread does not meet it.
 */
record ThreadState(Thread thread, @Nullable ClassLoader contextClassLoader, String name, int priority) {

    /** Returns the state of the calling thread. */
    static ThreadState current() {
        Thread thread = Thread.currentThread();
        return new ThreadState(thread, thread.getContextClassLoader(), thread.getName(), thread.getPriority());
    }

    /** Restores the state and clears the interrupt status. The calling thread is the one of {@link #current()}. */
    @SuppressWarnings("ThreadPriorityCheck") // undoes a change of the application
    void restore() {
        boolean unused = Thread.interrupted();
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
