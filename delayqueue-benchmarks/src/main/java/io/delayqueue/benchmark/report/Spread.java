package io.delayqueue.benchmark.report;

import java.util.Collection;

/**
 * One quantity over the rounds of a run.
 *
 * @param median the middle one, or the mean of the two in the middle
 * @param min the least
 * @param max the greatest
 * @param rounds of how many rounds, at least 1
 */
record Spread(double median, double min, double max, int rounds) {

    /**
     * Of at least one number, none of them NaN.
     */
    static Spread of(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }
}
