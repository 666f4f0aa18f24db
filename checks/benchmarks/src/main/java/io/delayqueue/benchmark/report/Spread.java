package io.delayqueue.benchmark.report;

import java.util.Collection;

/**
 * The values of one quantity over the rounds of a run.
 *
 * @param median the median
 * @param min the minimum
 * @param max the maximum
 * @param rounds the number of rounds, at least 1
 */
record Spread(double median, double min, double max, int rounds) {

    /** Creates the spread of at least one number. No number may be NaN. */
    static Spread of(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }
}
