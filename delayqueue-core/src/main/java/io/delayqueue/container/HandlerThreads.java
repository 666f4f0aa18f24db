package io.delayqueue.container;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The threads that run handlers of a listener. Thread-safe. */
final class HandlerThreads {

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /** Called on a thread before it runs a handler. */
    void enter() {
        threads.add(Thread.currentThread());
    }

    /** Called on a thread after it ran a handler. */
    void leave() {
        threads.remove(Thread.currentThread());
    }

    /** Whether the current thread runs a handler. */
    boolean containCurrent() {
        return threads.contains(Thread.currentThread());
    }

    boolean isEmpty() {
        return threads.isEmpty();
    }

    /**
     * Number of handlers that wait until the JVM has ended: {@code System.exit} runs the shutdown hooks, and thus the stop of
     * the listeners, on other threads and waits for them. Only the stack trace of such a handler shows that.
     */
    int inExit() {
        return (int) threads.stream().filter(HandlerThreads::isInExit).count();
    }

    private static boolean isInExit(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("exit")
                        && frame.getClassName().equals(Runtime.class.getName()));
    }
}
