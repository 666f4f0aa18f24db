package io.delayqueue.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Which dead letters to read. */
public sealed interface DeadLetterQuery {

    /** One dead letter by its id. */
    record One(String deadLetterId) implements DeadLetterQuery {}

    /**
     * A page of dead letters, youngest first.
     *
     * @param deadLetteredUntil latest time of dead-lettering, inclusive, by Redis' clock; null for all dead letters
     * @param offset number of dead letters to skip, 0 or more
     * @param count largest number of dead letters, 1 to 500; large dead letters reduce it
     */
    record Page(@Nullable Instant deadLetteredUntil, long offset, int count) implements DeadLetterQuery {}
}
