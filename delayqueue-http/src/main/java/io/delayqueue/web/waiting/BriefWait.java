package io.delayqueue.web.waiting;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waits on the thread of a request for a reply of Redis, which usually takes less than a millisecond. An asynchronous
 * response costs more than this wait: a second dispatch, on another thread. A longer wait would let a Redis that does not
 * reply occupy the threads of the server.
 */
public final class BriefWait {

    private static final long MILLIS = 5;

    private BriefWait() {}

    /** Waits for at most 5 ms, and returns whether the future is completed. */
    public static boolean isDone(CompletableFuture<?> future) {
        try {
            future.get(MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException | CancellationException e) {
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
