package io.delayqueue.benchmark.run;

import java.util.List;

/**
 * Trials on one Redis.
 *
 * @param scheduled how many messages lie in the topic for the days to come
 * @param entries what is measured
 */
public record Stage(int scheduled, List<Entry> entries) {

    /** Keeps a copy. */
    public Stage {
        entries = List.copyOf(entries);
    }

    int trials() {
        return entries.stream().mapToInt(Entry::rounds).sum() + (scheduled > 0 ? 1 : 0);
    }

    int rounds() {
        return entries.stream().mapToInt(Entry::rounds).max().orElse(0);
    }
}
