package io.delayqueue.container;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The claimed deliveries that wait for a worker, in the order of their claims. Thread-safe. */
final class DeliveryQueue {

    private final Deque<ClaimedDelivery> waiting = new ArrayDeque<>();
    private final LongSupplier nanoTime;
    private long bytes;
    private long retiredAt;
    private volatile int size;

    DeliveryQueue(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.retiredAt = nanoTime.getAsLong();
    }

    /**
     * Adds claimed deliveries. If a message was retired after the poll was sent, Redis may have run the claim before
     * the retirement, so all added deliveries need confirmation before they start. The queue keeps the time of the last
     * retirement, not the retired ids, because the ids are unbounded.
     *
     * @return whether a delivery needs confirmation
     */
    synchronized boolean addAll(List<ClaimedDelivery> deliveries) {
        boolean doubted = false;
        for (ClaimedDelivery delivery : deliveries) {
            waiting.addLast(delivery);
            bytes += delivery.claim().stored().length;
            delivery.doubt(retiredAt);
            doubted |= delivery.isDoubted();
        }
        size = waiting.size();
        return doubted;
    }

    /**
     * Removes the first delivery if it meets the condition. {@link #retired} never runs between the check and the
     * removal.
     */
    synchronized @Nullable ClaimedDelivery pollIf(Predicate<ClaimedDelivery> condition) {
        ClaimedDelivery first = waiting.peekFirst();
        if (first == null || !condition.test(first)) {
            return null;
        }
        waiting.removeFirst();
        bytes -= first.claim().stored().length;
        size = waiting.size();
        return first;
    }

    /** Removes the deliveries that meet the condition. */
    synchronized List<ClaimedDelivery> removeIf(Predicate<ClaimedDelivery> condition) {
        List<ClaimedDelivery> removed = new ArrayList<>();
        waiting.removeIf(delivery -> {
            boolean fits = condition.test(delivery);
            if (fits) {
                removed.add(delivery);
                bytes -= delivery.claim().stored().length;
            }
            return fits;
        });
        size = waiting.size();
        return removed;
    }

    /**
     * Records that a message was cancelled or replaced. Its waiting deliveries, and all deliveries claimed by a poll
     * that was sent before, need confirmation before they start.
     *
     * @param id of the message; empty for all messages
     * @return whether a waiting delivery needs confirmation
     */
    synchronized boolean retired(String id) {
        retiredAt = nanoTime.getAsLong();
        boolean any = false;
        for (ClaimedDelivery delivery : waiting) {
            if (id.isEmpty() || delivery.id().equals(id)) {
                delivery.doubt(retiredAt);
                any = true;
            }
        }
        return any;
    }

    /** When the first delivery was claimed, by the monotonic clock; {@link Long#MAX_VALUE} if none waits. */
    synchronized long oldestClaim() {
        ClaimedDelivery first = waiting.peekFirst();
        return first == null ? Long.MAX_VALUE : first.claimedAt;
    }

    synchronized long bytes() {
        return bytes;
    }

    int size() {
        return size;
    }
}
