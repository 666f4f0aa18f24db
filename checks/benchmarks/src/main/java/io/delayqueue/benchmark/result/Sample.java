package io.delayqueue.benchmark.result;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * The result of one trial.
 *
 * @param measure the measurement
 * @param party the measured party
 * @param scheduled the number of messages that were already scheduled for later in the same topic
 * @param round the round, from 1
 * @param values the numbers; quantities that do not apply to the party are absent
 */
public record Sample(Measure measure, Party party, long scheduled, int round, Map<Quantity, Double> values) {

    /** Keeps a copy in the order of the quantities. */
    public Sample {
        EnumMap<Quantity, Double> ordered = new EnumMap<>(Quantity.class);
        ordered.putAll(values);
        values = Collections.unmodifiableMap(ordered);
    }
}
