package io.delayqueue.admin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
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
     * An item, or the end of a run whose shard has unread items.
     *
     * @param item null for the end of such a run
     */
    private record Entry<P, T>(P place, @Nullable T item) {}

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

    /**
     * Adds the ordered run of a shard.
     *
     * @param places returns the place of an item
     * @param unread the place after which unread items may follow; null if the run is complete
     */
    void add(List<T> run, Function<T, P> places, @Nullable P unread) {
        run.forEach(item -> kept.add(new Entry<>(places.apply(item), item)));
        if (unread != null) {
            kept.add(new Entry<>(unread, null));
        }
        kept.sort(order);
        int end = end();
        cut |= end < kept.size();
        kept.subList(end, kept.size()).clear();
    }

    /** The order is unknown after the end of a run that has unread items. */
    private int end() {
        long bytes = 0;
        for (int i = 0; i < kept.size(); i++) {
            T item = kept.get(i).item;
            if (item == null) {
                return i + 1;
            }
            bytes += size.applyAsLong(item);
            if (i == count || (i > 0 && bytes > maxBytes)) {
                return i;
            }
        }
        return kept.size();
    }

    List<T> items() {
        return kept.stream().flatMap(entry -> Stream.ofNullable(entry.item)).toList();
    }

    /** The place at which to continue; null if no item follows. */
    @Nullable
    P next() {
        if (kept.isEmpty()) {
            return null;
        }
        Entry<P, T> last = kept.get(kept.size() - 1);
        return cut || last.item == null ? last.place : null;
    }

    /** Number of items at a place. */
    int countAt(P place) {
        return (int) kept.stream()
                .filter(entry -> entry.item != null && entry.place.equals(place))
                .count();
    }
}
