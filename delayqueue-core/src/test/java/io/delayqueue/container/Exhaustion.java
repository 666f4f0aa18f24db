package io.delayqueue.container;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.SocketAddressResolver;
import java.net.SocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

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

    /** Connections of Lettuce that fail when they are made. */
    public SocketAddressResolver connections() {
        return new SocketAddressResolver(DnsResolvers.UNRESOLVED) {
            @Override
            public SocketAddress resolve(RedisURI server) {
                call();
                return super.resolve(server);
            }
        };
    }
}
