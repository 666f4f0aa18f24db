package io.delayqueue.benchmark.report;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.benchmark.result.Run;
import io.delayqueue.benchmark.result.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds a run from numbers of a test. */
final class RunBuilder {

    private final Map<String, String> environment = new LinkedHashMap<>();
    private final List<Sample> samples = new ArrayList<>();

    RunBuilder environment(String label, String value) {
        environment.put(label, value);
        return this;
    }

    /** Adds a quantity with one value per round. */
    RunBuilder rounds(Measure measure, Party party, long scheduled, Quantity quantity, double... values) {
        for (int round = 1; round <= values.length; round++) {
            samples.add(new Sample(measure, party, scheduled, round, Map.of(quantity, values[round - 1])));
        }
        return this;
    }

    RunBuilder rate(Measure measure, Party party, long scheduled, double... values) {
        return rounds(measure, party, scheduled, Quantity.RATE, values);
    }

    RunBuilder product(Measure measure, Quantity quantity, double... values) {
        return rounds(measure, Party.PRODUCT, 0, quantity, values);
    }

    RunBuilder sample(Measure measure, Party party, long scheduled, int round, Map<Quantity, Double> values) {
        samples.add(new Sample(measure, party, scheduled, round, values));
        return this;
    }

    Run build() {
        return new Run("full", environment, List.copyOf(samples));
    }

    Summary summary() {
        return new Summary(build());
    }
}
