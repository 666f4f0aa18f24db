package io.delayqueue.admin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The first of many things that stand in order in several shards, of each of which only a run is read. Holds little more
 * than what it gives in the end. Not thread-safe.
 *
 * @param <P> where something stands
 * @param <T> what stands there
 */
final class ShardMerge<P, T> {

    private final Comparator<Entry<P, T>> order;
    private final ToLongFunction<T> size;
    private final int count;
    private final long maxBytes;
    private final List<Entry<P, T>> kept = new ArrayList<>();
    private boolean cut;

    /**
     * A place in a run.
     *
     * @param item null if nothing stands there
     * @param isBorder whether others of its shard may follow that were not read
     */
    record Entry<P, T>(P place, @Nullable T item, boolean isBorder) {}

    /**
     * Of nothing yet.
     *
     * @param order of places; equal ones keep the order in which they are added
     * @param size of a thing, in bytes
     * @param count at most so many things
     * @param maxBytes at most so many bytes, but one thing at least
     */
    ShardMerge(Comparator<P> order, ToLongFunction<T> size, int count, long maxBytes) {
        this.order = Comparator.comparing(Entry::place, order);
        this.size = size;
        this.count = count;
        this.maxBytes = maxBytes;
    }

    /** How many things to read of each shard: in shards of equal size the first ones of all are among them. */
    static int runLength(int count, int shards) {
        int share = (count + shards - 1) / shards;
        return shards == 1 ? count : Math.min(count, 2 * share + 8);
    }

    /** A shard's run, in order. */
    void add(List<Entry<P, T>> run) {
        kept.addAll(run);
        kept.sort(order);
        int end = end();
        cut |= end < kept.size();
        kept.subList(end, kept.size()).clear();
    }

    /** Behind a border nobody knows what comes first. */
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
            if (entry.isBorder) {
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

    /** Where to go on; null if nothing more follows. */
    @Nullable
    P next() {
        if (kept.isEmpty()) {
            return null;
        }
        Entry<P, T> last = kept.get(kept.size() - 1);
        return cut || last.isBorder ? last.place : null;
    }

    /** How many of the things stand at a place. */
    int countAt(P place) {
        return (int) kept.stream()
                .filter(entry -> entry.item != null && Objects.equals(entry.place, place))
                .count();
    }
}
