package io.delayqueue.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gauges of one meter, at most {@value #MAX}, whose tags come and go. A gauge that stays is never registered anew: if the
 * only one were, a scrape at that moment would miss it, or see it twice and fail.
 */
final class VaryingGauges {

    private static final int MAX = 100;

    private final MultiGauge gauges;
    private final Map<Tags, Double> values = new ConcurrentHashMap<>();

    /** Creates gauges; none is registered before the first update. */
    VaryingGauges(DelayQueueMeters meter, MeterRegistry registry) {
        gauges = MultiGauge.builder(meter.getName())
                .description(meter.description())
                .register(registry);
    }

    /**
     * Sets the values, and removes all other gauges.
     *
     * @param next the most important first
     */
    void update(Map<Tags, Double> next) {
        values.putAll(next);
        gauges.register(next.keySet().stream()
                .limit(MAX)
                .<Row<?>>map(tags -> Row.of(tags, values, all -> all.getOrDefault(tags, Double.NaN)))
                .toList());
        values.keySet().retainAll(next.keySet());
    }
}
