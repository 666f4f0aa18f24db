package io.delayqueue.container.delivery;

import io.delayqueue.store.Settle;
import io.delayqueue.store.StepRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Answers that wait for the next step. Many add, one takes. */
final class SettleBuffer {

    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    /**
     * An answer.
     *
     * @param at when it was given, by the monotonic clock
     * @param failure of the attempt that it answers, if that failed
     */
    record Entry(
            ClaimedDelivery delivery,
            Settle settle,
            long at,
            @Nullable Throwable failure) {}

    void add(Entry entry) {
        size.incrementAndGet(); // first, so that whoever takes it at once never counts below zero
        entries.add(entry);
    }

    int size() {
        return size.get();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Whether the oldest answer was given before this moment. */
    boolean isOlderThan(long nanos) {
        Entry oldest = entries.peek();
        return oldest != null && oldest.at() - nanos <= 0;
    }

    /** Takes all of them. */
    List<Entry> takeAll() {
        List<Entry> taken = new ArrayList<>();
        for (Entry next = entries.poll(); next != null; next = entries.poll()) {
            size.decrementAndGet();
            taken.add(next);
        }
        return taken;
    }

    /** Takes what one step may settle: the burials in it, which touch whole messages, are bounded in bytes. */
    List<Entry> take() {
        List<Entry> taken = new ArrayList<>(Math.min(size(), StepRequest.MAX_BATCH));
        long bytes = 0;
        while (taken.size() < StepRequest.MAX_BATCH) {
            Entry next = entries.peek();
            if (next == null) {
                break;
            }
            if (next.settle() instanceof Settle.Bury) {
                bytes += next.delivery().claim().stored().length;
                if (bytes > StepRequest.MAX_BYTES && !taken.isEmpty()) {
                    break;
                }
            }
            entries.remove();
            size.decrementAndGet();
            taken.add(next);
        }
        return taken;
    }
}
