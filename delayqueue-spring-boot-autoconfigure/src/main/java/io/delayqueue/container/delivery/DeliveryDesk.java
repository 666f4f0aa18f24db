package io.delayqueue.container.delivery;

import io.delayqueue.store.Settle;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where a delivery hands in its answer. Must be thread-safe; nothing here blocks. */
interface DeliveryDesk {

    /**
     * The answer was given; called once a delivery.
     *
     * @param failure what it answers, if an attempt failed
     */
    void answered(ClaimedDelivery delivery, Settle settle, @Nullable Throwable failure);

    /** What a wish for another attempt amounts to: a retry, or a burial when attempts are spent. */
    Settle retryOnDemand(ClaimedDelivery delivery, Duration delay);

    /** Renews the lease with the next step. */
    CompletableFuture<Boolean> extend(ClaimedDelivery delivery, Duration time);

    /** How late something is that was due at a time by Redis' clock; negative when it isn't due yet. */
    long latenessNanos(long dueMillis);

    /** A moment of the monotonic clock, by Redis' clock. */
    Instant wallClock(long nanos);

    /** Whether a moment of the monotonic clock has passed. */
    boolean isPast(long nanos);
}
