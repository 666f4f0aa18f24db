package io.delayqueue.test.tasks;

import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.message.DurationText;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;

/**
 * The handlers that run. While a timeout is set, a handler that does not return within it is interrupted. Thread-safe.
 */
final class RunningHandlers implements DeliveryInterceptor, Ordered {

    private static final Log log = LogFactory.getLog(RunningHandlers.class);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier nanoTime;
    private final Set<Handler> running = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Duration timeout;
    /** When the timeout was set. */
    private volatile long timeoutSetAt;
    /** Of a handler that was interrupted. */
    private volatile @Nullable AssertionError failure;

    RunningHandlers(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Sets the longest time of a handler; null for none. A handler that runs already has this time from now on. */
    void timeout(@Nullable Duration longest) {
        timeoutSetAt = nanoTime.getAsLong();
        timeout = longest;
        failure = null;
    }

    /** The outermost interceptor. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception {
        Handler handler = new Handler(listener, deliveries, nanoTime.getAsLong());
        running.add(handler);
        try {
            CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
            proceed(handler, next).whenComplete((nothing, failure) -> {
                if (failure == null) {
                    result.complete(null);
                } else {
                    result.completeExceptionally(failure);
                }
                running.remove(handler); // last: the engine has settled the deliveries
            });
            return result;
        } catch (Throwable e) {
            running.remove(handler);
            throw e;
        }
    }

    private CompletionStage<?> proceed(Handler handler, Next next) throws Exception {
        Duration longest = timeout;
        if (longest == null) {
            return next.proceed();
        }
        Thread thread = Thread.currentThread();
        CompletableFuture<@Nullable Void> returned =
                new CompletableFuture<@Nullable Void>().orTimeout(longest.toNanos(), TimeUnit.NANOSECONDS);
        CompletableFuture<?> unused = returned.whenComplete((nothing, late) -> {
            if (late != null) {
                handler.interrupt(thread, longest);
            }
        });
        try {
            return next.proceed();
        } finally {
            returned.complete(null);
            AssertionError late = handler.returned();
            if (late != null) {
                Thread.interrupted();
                failure = late;
            }
        }
    }

    /**
     * Waits until the results of all handlers are complete. A result that is not complete within the timeout is reported
     * once, and not awaited again.
     *
     * @throws AssertionError if a handler did not return, or its result is not complete, within the timeout. The errors
     *     of further handlers are suppressed
     */
    void await() {
        AssertionError late = failure;
        if (late != null) {
            failure = null;
            throw late;
        }
        while (!running.isEmpty()) {
            Duration longest = timeout;
            if (longest != null) {
                failIfLate(longest);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void failIfLate(Duration longest) {
        long now = nanoTime.getAsLong();
        List<Handler> late = running.stream()
                .filter(handler -> handler.nanos(now, timeoutSetAt) > longest.toNanos())
                .sorted(Comparator.comparingLong(handler -> handler.startedAt - now))
                .toList();
        AssertionError first = null;
        for (Handler handler : late) {
            if (running.remove(handler)) { // else its result has just been completed
                AssertionError incomplete = handler.incomplete(longest);
                if (first == null) {
                    first = incomplete;
                } else {
                    first.addSuppressed(incomplete);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** A handler that runs. */
    private static final class Handler {

        private final String listener;
        private final List<Delivery> deliveries;
        private final long startedAt;

        // guarded by this
        private boolean returned;
        private @Nullable AssertionError failure;

        Handler(String listener, List<Delivery> deliveries, long startedAt) {
            this.listener = listener;
            this.deliveries = deliveries;
            this.startedAt = startedAt;
        }

        synchronized void interrupt(Thread thread, Duration longest) {
            if (!returned) {
                Throwable place = new IllegalStateException("The handler was interrupted here");
                place.setStackTrace(thread.getStackTrace());
                AssertionError late = new AssertionError(describe(longest) + " The handler was interrupted.", place);
                log.error(late.getMessage(), place); // it may ignore the interrupt
                failure = late;
                thread.interrupt();
            }
        }

        /** Records that the handler has returned. */
        synchronized @Nullable AssertionError returned() {
            returned = true;
            return failure;
        }

        /** The time since the start of the handler, or since another time if that is later. */
        long nanos(long now, long atTheEarliest) {
            return Math.min(now - startedAt, now - atTheEarliest);
        }

        AssertionError incomplete(Duration longest) {
            return new AssertionError(describe(longest) + " Its result is not complete.");
        }

        private String describe(Duration longest) {
            Delivery first = deliveries.get(0);
            String others = deliveries.size() == 1 ? "" : " and " + (deliveries.size() - 1) + " more";
            return "Listener '" + listener + "' did not handle message '" + first.id() + "'" + others + " of topic '"
                    + first.topic() + "' within " + DurationText.of(longest) + " (delayqueue-test.timeout).";
        }
    }
}
