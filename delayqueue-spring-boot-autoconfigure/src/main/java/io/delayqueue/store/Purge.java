package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Which dead letters to remove. */
public sealed interface Purge {

    /** Those named, at most 500. */
    record Named(List<String> letterIds) implements Purge {}

    /** Those that died at this moment or before, by Redis' clock. */
    record DiedUntil(Instant until) implements Purge {}

    /**
     * Those that are too old, then the oldest of those that are too many.
     *
     * @param maxAge since the death
     * @param maxCount how many may stay
     */
    record Retention(Duration maxAge, long maxCount) implements Purge {}
}
