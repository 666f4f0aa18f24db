package io.delayqueue.container.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.store.Claim;
import io.delayqueue.store.Settle;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Claimed deliveries for tests without a store. */
public final class Claims {

    /** Takes no notice of anything. */
    static final DeliveryDesk NOBODY = new DeliveryDesk() {
        @Override
        public void answered(ClaimedDelivery delivery, Settle settle, @Nullable Throwable failure) {}

        @Override
        public Settle retryOnDemand(ClaimedDelivery delivery, Duration delay) {
            return new Settle.Release(delivery.id(), delivery.claim().token());
        }

        @Override
        public CompletableFuture<Boolean> extend(ClaimedDelivery delivery, Duration time) {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public long latenessNanos(long dueMillis) {
            return 0;
        }

        @Override
        public Instant wallClock(long nanos) {
            return Instant.EPOCH;
        }

        @Override
        public boolean isPast(long nanos) {
            return false;
        }
    };

    private Claims() {}

    static Claim claim(String id, int payloadBytes) {
        String stored = "1000001000001n\n\n" + "x".repeat(payloadBytes);
        return new Claim(id, "token", 1, 1, null, stored.getBytes(UTF_8));
    }

    public static ClaimedDelivery delivery(String id, Duration lease, long sentAt, long heardAt) {
        return ClaimedDelivery.of(NOBODY, "t", claim(id, 0), lease, sentAt, heardAt);
    }
}
