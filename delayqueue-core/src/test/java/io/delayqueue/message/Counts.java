package io.delayqueue.message;

import java.time.Duration;

/** Counts without times. */
public final class Counts {

    private Counts() {}

    public static TopicCounts of(
            long scheduled, long ready, long suspects, long leased, long dead, long unreviewed, Duration lag) {
        return new TopicCounts(scheduled, ready, suspects, 0, leased, dead, unreviewed, 0, lag, null, null, null);
    }
}
