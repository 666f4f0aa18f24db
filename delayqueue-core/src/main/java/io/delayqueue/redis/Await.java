package io.delayqueue.redis;

import io.delayqueue.message.Completions;
import io.delayqueue.redis.RedisCallException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * Waits for asynchronous calls to Redis on behalf of blocking methods.
 *
 * <p>All calls to Redis are asynchronous. A blocking method starts the asynchronous call and waits for it here.
 */
public final class Await {

    private Await() {}

    /**
     * Starts a call and waits for its result.
     *
     * @throws RedisCallException if the script call failed, or if the thread is interrupted; its interrupt status stays
     *     set
     * @throws RuntimeException if the call failed with another exception
     */
    public static <T> T call(Supplier<CompletableFuture<T>> call) {
        requireBlockingThread();
        return result(call.get());
    }

    /** Waits for the result of a call. Throws the exceptions of {@link #call}. */
    public static <T> T result(CompletableFuture<T> call) {
        requireBlockingThread();
        try {
            return call.get();
        } catch (ExecutionException e) {
            throw Completions.unchecked(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisCallException(
                    Kind.UNKNOWN, "The thread was interrupted while it waited for Redis; the outcome is unknown", e);
        }
    }

    /**
     * Rejects a blocking call of a thread that reads the replies of Redis: it would wait for itself.
     *
     * @throws IllegalStateException if this is a thread of the queue's Redis client
     */
    public static void requireBlockingThread() {
        if (Thread.currentThread() instanceof ClientThread) {
            throw new IllegalStateException(
                    "A blocking call on thread "
                            + Thread.currentThread().getName()
                            + " would wait for itself, because this thread reads the delay"
                            + " queue's replies from Redis. Use the asynchronous form, such as sendAsync, or make the call on another thread");
        }
    }

    /** A thread of the queue's Redis client. */
    public interface ClientThread {}
}
