package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A settlement that waits for the reply to its poll.
 *
 * @param settlement the settlement
 * @param delivery details of the delivery for events; null if no handler or receiver got the delivery
 * @param givenAt time at which the application settled or extended, by the monotonic clock in nanoseconds
 * @param messageBytes size of the stored message in bytes, or {@link #UNKNOWN_SIZE}
 * @param failure failure of the attempt, or null
 * @param accepted completed with true if Redis accepted the settlement, with false if it rejected it
 */
public record PendingSettlement(
        Settlement settlement,
        @Nullable DeliveryDetails delivery,
        long givenAt,
        int messageBytes,
        @Nullable Throwable failure,
        CompletableFuture<Boolean> accepted) {

    /** Assumed size of a message in bytes if only its receipt is known. */
    public static final int UNKNOWN_SIZE = PollRequest.MAX_BYTES / 50;

    /** Number of message bytes that Redis reads for the settlement; their sum is limited for each poll. */
    int bytesRead() {
        return settlement.readsMessage() ? messageBytes : 0;
    }

    /** The same with the handling time in a retry or dead letter. */
    PendingSettlement withHandling(Instant now) {
        Duration handling = delivery == null ? null : delivery.handling(givenAt, now);
        Settlement known = handling == null ? settlement : settlement.withHandling(handling);
        return known == settlement
                ? this
                : new PendingSettlement(known, delivery, givenAt, messageBytes, failure, accepted);
    }

    /** Details of a delivery for events. */
    public interface DeliveryDetails {

        /** Number of the attempt, from 1. */
        int attempt();

        /**
         * Handling time; null if handling was not started.
         *
         * @param givenAt time at which the application settled, by the monotonic clock in nanoseconds
         * @param settledAt the same time by Redis' clock, or later the time at which Redis settled
         */
        @Nullable
        Duration handling(long givenAt, Instant settledAt);

        /** When the message was sent, by Redis' clock. */
        Instant sentAt();
    }
}
