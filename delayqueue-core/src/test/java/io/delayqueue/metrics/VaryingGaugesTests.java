package io.delayqueue.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VaryingGaugesTests {

    private static final Tags A = Tags.of("server", "a");
    private static final Tags B = Tags.of("server", "b");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final VaryingGauges gauges = new VaryingGauges(DelayQueueMeters.REDIS_REFUSING, registry);

    private Gauge gauge(Tags tags) {
        return registry.get("delayqueue.redis.refusing").tags(tags).gauge();
    }

    @Test
    void gaugeThatStaysIsNotReplaced() {
        gauges.update(Map.of(A, 0d, B, 0d));
        Gauge stays = gauge(A);

        gauges.update(Map.of(A, 1d));

        assertThat(gauge(A)).isSameAs(stays);
        assertThat(stays.value()).isOne();
    }

    @Test
    void gaugesThatAreNotUpdatedAreRemovedAndMayReturn() {
        gauges.update(Map.of(A, 0d, B, 0d));
        gauges.update(Map.of(A, 1d));
        assertThat(registry.find("delayqueue.redis.refusing").gauges()).hasSize(1);

        gauges.update(Map.of(B, 2d));

        assertThat(registry.find("delayqueue.redis.refusing").gauges()).hasSize(1);
        assertThat(gauge(B).value()).isEqualTo(2);
    }
}
