package io.delayqueue.benchmark.result;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * What one trial gave.
 *
 * @param measure what was measured
 * @param party of whom
 * @param scheduled how many messages were scheduled for later in the same topic beforehand
 * @param round which round, from 1
 * @param values the numbers; those that make no sense for the party are absent
 */
public record Sample(Measure measure, Party party, long scheduled, int round, Map<Quantity, Double> values) {

    /** Keeps a copy in the order of the quantities. */
    public Sample {
        EnumMap<Quantity, Double> ordered = new EnumMap<>(Quantity.class);
        ordered.putAll(values);
        values = Collections.unmodifiableMap(ordered);
    }
}
