package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import java.time.Duration;

/**
 * The specification of a trial.
 *
 * @param measure the measurement
 * @param party the measured party
 * @param port the port of Redis on the loopback interface
 * @param scheduled the number of messages that are already scheduled for later in the topic
 * @param warmUp the time for which the party does the same before the measurement
 * @param messages the number of measured messages
 * @param watched the time for which an idle queue is measured
 */
public record TrialSpec(
        Measure measure, Party party, int port, long scheduled, Duration warmUp, int messages, Duration watched) {

    /** The number of idle topics. */
    public static final int IDLE_TOPICS = 10;

    /** Time for which a queue settles before it is measured. */
    static final Duration SETTLING = Duration.ofSeconds(6);

    /** This trial with another warm-up and number of messages. */
    TrialSpec of(Duration warmUp, int messages) {
        return new TrialSpec(measure, party, port, scheduled, warmUp, messages, watched);
    }
}
