package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import java.time.Duration;

/**
 * What a trial is to measure.
 *
 * @param measure what
 * @param party of whom
 * @param port of the Redis on the loopback interface
 * @param scheduled how many messages are scheduled for later in the topic already
 * @param warmUp how many messages go before, unmeasured
 * @param messages how many are measured
 * @param watched for how long an idle queue is watched
 */
public record TrialSpec(
        Measure measure, Party party, int port, long scheduled, int warmUp, int messages, Duration watched) {

    /** How many idle topics are watched. */
    public static final int IDLE_TOPICS = 10;

    /** What a queue is given to come to rest before it is watched. */
    static final Duration SETTLING = Duration.ofSeconds(6);
}
