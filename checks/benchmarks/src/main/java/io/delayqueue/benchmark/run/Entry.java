package io.delayqueue.benchmark.run;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import java.time.Duration;

/**
 * A repeated measurement of one party.
 *
 * @param messages the number of measured messages
 * @param watched the time for which an idle queue is measured
 * @param rounds the number of repetitions
 */
public record Entry(Measure measure, Party party, int messages, Duration watched, int rounds) {

    static Entry of(Measure measure, Party party, int messages, int rounds) {
        return new Entry(measure, party, messages, Duration.ZERO, rounds);
    }

    static Entry startUp(Party party, int rounds) {
        return Entry.of(Measure.START_UP, party, 0, rounds);
    }

    static Entry idle(Party party, Duration watched, int rounds) {
        return new Entry(Measure.IDLE, party, 0, watched, rounds);
    }
}
