package io.delayqueue.container.delivery;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Claimed deliveries that wait for a worker, in the order they were claimed. Thread-safe. */
final class DeliveryQueue {

    private final Deque<ClaimedDelivery> waiting = new ArrayDeque<>();
    private long bytes;
    private volatile int size;

    synchronized void addAll(List<ClaimedDelivery> deliveries) {
        for (ClaimedDelivery delivery : deliveries) {
            waiting.addLast(delivery);
            bytes += delivery.claim().stored().length;
        }
        size = waiting.size();
    }

    synchronized @Nullable ClaimedDelivery poll() {
        ClaimedDelivery first = waiting.pollFirst();
        if (first != null) {
            bytes -= first.claim().stored().length;
            size = waiting.size();
        }
        return first;
    }

    synchronized void putBack(ClaimedDelivery delivery) {
        waiting.addFirst(delivery);
        bytes += delivery.claim().stored().length;
        size = waiting.size();
    }

    /** Takes out what fits the condition. */
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

    /** When the first in line was claimed, by the monotonic clock; {@link Long#MAX_VALUE} when none waits. */
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
