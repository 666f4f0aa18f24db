package io.delayqueue.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Which dead letters to read. */
public sealed interface LetterQuery {

    /** One by its id. */
    record One(String letterId) implements LetterQuery {}

    /**
     * A page, youngest first.
     *
     * @param diedUntil those that died at this moment or before, by Redis' clock; null for all
     * @param offset how many to skip
     * @param count at most so many, 1 to 500; fewer when they are large
     */
    record Page(@Nullable Instant diedUntil, long offset, int count) implements LetterQuery {}
}
