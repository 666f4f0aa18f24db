package io.delayqueue.store;

import java.time.Duration;
import java.util.List;

/** Which dead letters to remove. */
public sealed interface Purge {

    /** Dead letters by id, at most 500. */
    record Named(List<String> deadLetterIds) implements Purge {}

    /**
     * Dead letters beyond the retention limits, the oldest first.
     *
     * @param maxAge longest time since the message was dead-lettered
     * @param maxCount largest number of dead letters
     * @param maxBytes largest total size of the stored dead letters in bytes; estimated if there are more than 500
     */
    record Retention(Duration maxAge, long maxCount, long maxBytes) implements Purge {}
}
