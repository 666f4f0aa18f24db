package io.delayqueue.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** Meters that are removed together. Confined to one thread while meters are added. */
final class MeterGroup {

    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();

    MeterGroup(MeterRegistry registry) {
        this.registry = registry;
    }

    Counter counter(DelayQueueMeters meter, String... values) {
        return added(Counter.builder(meter.getName())
                .description(meter.description())
                .tags(tags(meter, values))
                .register(registry));
    }

    Timer timer(DelayQueueMeters meter, String... values) {
        return added(Timer.builder(meter.getName())
                .description(meter.description())
                .tags(tags(meter, values))
                .register(registry));
    }

    <T> void gauge(DelayQueueMeters meter, T state, ToDoubleFunction<T> value, String... values) {
        added(Gauge.builder(meter.getName(), state, value)
                .description(meter.description())
                .tags(tags(meter, values))
                .strongReference(true)
                .register(registry));
    }

    <T> void secondsGauge(DelayQueueMeters meter, T state, ToDoubleFunction<T> seconds, String... values) {
        added(TimeGauge.builder(meter.getName(), state, TimeUnit.SECONDS, seconds)
                .description(meter.description())
                .tags(tags(meter, values))
                .strongReference(true)
                .register(registry));
    }

    void remove() {
        meters.forEach(registry::remove);
    }

    private <M extends Meter> M added(M meter) {
        meters.add(meter);
        return meter;
    }

    private static List<Tag> tags(DelayQueueMeters meter, String... values) {
        KeyName[] keys = meter.getKeyNames();
        if (keys.length != values.length) {
            throw new IllegalArgumentException(
                    meter.getName() + " has " + keys.length + " tags, but " + values.length + " values were given");
        }
        List<Tag> tags = new ArrayList<>(keys.length);
        for (int i = 0; i < keys.length; i++) {
            tags.add(Tag.of(keys[i].asString(), values[i]));
        }
        return tags;
    }
}
