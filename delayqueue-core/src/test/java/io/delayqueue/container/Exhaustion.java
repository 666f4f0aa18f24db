package io.delayqueue.container;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Executors, threads and connections that fail: at one call, by its number, or at all calls between {@link #begin()} and
 * {@link #end()}. Thread-safe.
 */
public final class Exhaustion {

    /** The failure of a call. */
    public enum Failure {
        NO_THREAD,
        REJECTED
    }

    private static final int NEVER = -1;

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final int failingCall;
    private final Failure failure;
    private volatile boolean lasting;

    private Exhaustion(int failingCall, Failure failure) {
        this.failingCall = failingCall;
        this.failure = failure;
    }

    /** Fails the call with this number, counted from 0. */
    public static Exhaustion atCall(int number, Failure failure) {
        return new Exhaustion(number, failure);
    }

    /** Fails all calls between {@link #begin()} and {@link #end()}. */
    public static Exhaustion whenTold() {
        return new Exhaustion(NEVER, Failure.NO_THREAD);
    }

    public void begin() {
        lasting = true;
    }

    public void end() {
        lasting = false;
    }

    /** Number of failed calls. */
    public int failed() {
        return failed.get();
    }

    private void call() {
        if (calls.getAndIncrement() == failingCall || lasting) {
            failed.incrementAndGet();
            if (failure == Failure.REJECTED) {
                throw new RejectedExecutionException("rejected by the test");
            }
            // not an OutOfMemoryError as of the JVM, because JUnit would end the whole run
            throw new InternalError("unable to create native thread, says the test");
        }
    }

    public Executor executor(Executor executor) {
        return task -> {
            call();
            executor.execute(task);
        };
    }

    /** Threads that fail when they are created, because pools of newer JDKs do not start them by {@link Thread#start()}. */
    public ThreadFactory threads() {
        return task -> {
            call();
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        };
    }

    public RedisConnectionFactory connections(RedisConnectionFactory factory) {
        return (RedisConnectionFactory) Proxy.newProxyInstance(
                Exhaustion.class.getClassLoader(),
                new Class<?>[] {RedisConnectionFactory.class},
                (proxy, method, arguments) -> {
                    if (method.getName().startsWith("get")) {
                        call();
                    }
                    try {
                        return method.invoke(factory, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
