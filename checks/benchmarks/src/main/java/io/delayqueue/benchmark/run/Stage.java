package io.delayqueue.benchmark.run;

import java.util.List;

/**
 * Trials with one Redis.
 *
 * @param scheduled the number of messages in the topic that are scheduled for later days
 * @param entries the measurements
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
