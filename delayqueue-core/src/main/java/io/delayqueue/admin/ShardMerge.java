package io.delayqueue.admin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Merges ordered runs of several shards and keeps the first items. Its memory is little more than that of the result.
 * Not thread-safe.
 *
 * @param <P> the place of an item
 * @param <T> the item
 */
final class ShardMerge<P, T> {

    private final Comparator<Entry<P, T>> order;
    private final ToLongFunction<T> size;
    private final int count;
    private final long maxBytes;
    private final List<Entry<P, T>> kept = new ArrayList<>();
    private boolean cut;

    /**
     * An entry of a run.
     *
     * @param item null if there is no item at the place
     * @param endsRun whether unread items of the same shard may follow
     */
    record Entry<P, T>(P place, @Nullable T item, boolean endsRun) {}

    /**
     * Creates an empty merge.
     *
     * @param order of places; equal places keep the order of insertion
     * @param size of an item in bytes
     * @param count maximum number of items
     * @param maxBytes maximum number of bytes; the first item may be larger
     */
    ShardMerge(Comparator<P> order, ToLongFunction<T> size, int count, long maxBytes) {
        this.order = Comparator.comparing(Entry::place, order);
        this.size = size;
        this.count = count;
        this.maxBytes = maxBytes;
    }

    /**
     * Number of items to read from each shard. If shards have equal sizes, the first items of all shards are among
     * them.
     */
    static int runLength(int count, int shards) {
        int share = (count + shards - 1) / shards;
        return shards == 1 ? count : Math.min(count, 2 * share + 8);
    }

    /** Adds the ordered run of a shard. */
    void add(List<Entry<P, T>> run) {
        kept.addAll(run);
        kept.sort(order);
        int end = end();
        cut |= end < kept.size();
        kept.subList(end, kept.size()).clear();
    }

    /** The order is unknown after the end of a run that has unread items. */
    private int end() {
        int items = 0;
        long bytes = 0;
        for (int i = 0; i < kept.size(); i++) {
            Entry<P, T> entry = kept.get(i);
            T item = entry.item;
            if (item != null) {
                bytes += size.applyAsLong(item);
                if (items == count || (items > 0 && bytes > maxBytes)) {
                    return i;
                }
                items++;
            }
            if (entry.endsRun) {
                return i + 1;
            }
        }
        return kept.size();
    }

    List<T> items() {
        List<T> items = new ArrayList<>(kept.size());
        kept.forEach(entry -> {
            if (entry.item != null) {
                items.add(entry.item);
            }
        });
        return items;
    }

    /** The place at which to continue; null if no item follows. */
    @Nullable
    P next() {
        if (kept.isEmpty()) {
            return null;
        }
        Entry<P, T> last = kept.get(kept.size() - 1);
        return cut || last.endsRun ? last.place : null;
    }

    /** Number of items at a place. */
    int countAt(P place) {
        return (int) kept.stream()
                .filter(entry -> entry.item != null && Objects.equals(entry.place, place))
                .count();
    }
}
