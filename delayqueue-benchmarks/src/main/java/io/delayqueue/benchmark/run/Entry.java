package io.delayqueue.benchmark.run;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import java.time.Duration;

/**
 * A measure of one party, to be repeated.
 *
 * @param warmUp how many messages go before, unmeasured
 * @param messages how many are measured
 * @param watched for how long an idle queue is watched
 * @param rounds how often
 */
public record Entry(Measure measure, Party party, int warmUp, int messages, Duration watched, int rounds) {

    static Entry of(Measure measure, Party party, int warmUp, int messages, int rounds) {
        return new Entry(measure, party, warmUp, messages, Duration.ZERO, rounds);
    }

    static Entry idle(Party party, Duration watched, int rounds) {
        return new Entry(Measure.IDLE, party, 0, 0, watched, rounds);
    }
}
