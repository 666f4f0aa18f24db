package io.delayqueue.metrics;

import io.delayqueue.Internal;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Meters whose first tags have the same values, such as the meters of a topic. They are found without a search in the
 * registry, and removed together. Thread-safe.
 */
@Internal
public final class MeterGroup {

    private static final String NONE = "";

    private final MeterRegistry registry;
    private final List<String> values;
    /** By {@link DelayQueueMeters} and value of the last tag. */
    private final Map<List<Object>, Meter> meters = new ConcurrentHashMap<>();

    /**
     * Creates an empty group.
     *
     * @param values of the first tags
     */
    public MeterGroup(MeterRegistry registry, String... values) {
        this.registry = registry;
        this.values = List.of(values);
    }

    /** Registers a counter or timer, so that it exists with the value 0 before the first event. */
    public void register(DelayQueueMeters meter) {
        register(meter, NONE);
    }

    /** Registers a timer with one more tag than the group. */
    void register(DelayQueueMeters meter, String last) {
        registered(meter, last);
    }

    /** Increments a counter, which is registered first if necessary. */
    public void count(DelayQueueMeters meter) {
        count(meter, 1);
    }

    void count(DelayQueueMeters meter, int events) {
        ((Counter) registered(meter, NONE)).increment(events);
    }

    /** Records a time with a timer, which is registered first if necessary. */
    public void time(DelayQueueMeters meter, Duration time) {
        time(meter, NONE, time);
    }

    /** Records a time with a timer that has one more tag than the group. */
    void time(DelayQueueMeters meter, String last, Duration time) {
        ((Timer) registered(meter, last)).record(time);
    }

    private Meter registered(DelayQueueMeters meter, String last) {
        List<Object> key = List.of(meter, last);
        Meter known = meters.get(key);
        return known != null
                ? known
                : meters.computeIfAbsent(key, absent -> {
                    List<Tag> tags = tags(meter, last);
                    return meter.getType() == Meter.Type.TIMER
                            ? Timer.builder(meter.getName())
                                    .description(meter.description())
                                    .tags(tags)
                                    .register(registry)
                            : Counter.builder(meter.getName())
                                    .description(meter.description())
                                    .tags(tags)
                                    .register(registry);
                });
    }

    /** Registers a gauge, which holds its state. */
    public <T> void gauge(DelayQueueMeters meter, T state, ToDoubleFunction<T> value) {
        gauge(meter, state, value, NONE);
    }

    /** Registers a gauge with one more tag than the group. */
    <T> void gauge(DelayQueueMeters meter, T state, ToDoubleFunction<T> value, String last) {
        List<Tag> tags = tags(meter, last);
        Meter gauge = meter.getBaseUnit() == null
                ? Gauge.builder(meter.getName(), state, value)
                        .description(meter.description())
                        .tags(tags)
                        .strongReference(true)
                        .register(registry)
                : TimeGauge.builder(meter.getName(), state, TimeUnit.SECONDS, value)
                        .description(meter.description())
                        .tags(tags)
                        .strongReference(true)
                        .register(registry);
        meters.put(List.of(meter, last), gauge);
    }

    void remove() {
        meters.values().forEach(registry::remove);
    }

    private List<Tag> tags(DelayQueueMeters meter, String last) {
        List<String> all = new ArrayList<>(values);
        if (!last.isEmpty()) {
            all.add(last);
        }
        KeyName[] keys = meter.getKeyNames();
        if (keys.length != all.size()) {
            throw new IllegalArgumentException(
                    meter.getName() + " has " + keys.length + " tags, but " + all.size() + " values were given");
        }
        List<Tag> tags = new ArrayList<>(keys.length);
        for (int i = 0; i < keys.length; i++) {
            tags.add(Tag.of(keys[i].asString(), all.get(i)));
        }
        return tags;
    }
}
