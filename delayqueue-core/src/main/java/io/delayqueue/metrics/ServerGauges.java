package io.delayqueue.metrics;

import io.delayqueue.redis.server.ServerState;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Gauges of each Redis server at the last sample. A server that is no longer known has none. */
final class ServerGauges {

    private static final Map<DelayQueueMeters, ToDoubleFunction<ServerState>> VALUES = Map.of(
            DelayQueueMeters.REDIS_MEMORY_USED,
            server -> orNaN(server.usedMemory()),
            DelayQueueMeters.REDIS_MEMORY_MAX,
            server -> orNaN(server.maxMemory()),
            DelayQueueMeters.REDIS_REPLICAS,
            server -> orNaN(server.replicas()),
            DelayQueueMeters.REDIS_REFUSING,
            server -> server.refusal() == null ? 0 : 1);

    private final Map<DelayQueueMeters, VaryingGauges> gauges;

    /** Creates gauges; none is registered before the first update. */
    ServerGauges(MeterRegistry registry) {
        gauges = VALUES.keySet().stream()
                .collect(Collectors.toMap(meter -> meter, meter -> new VaryingGauges(meter, registry)));
    }

    private static double orNaN(long value) {
        return value < 0 ? Double.NaN : value;
    }

    /** Replaces the gauges. */
    void update(List<ServerState> servers) {
        VALUES.forEach((meter, value) -> {
            Map<Tags, Double> values = new LinkedHashMap<>();
            servers.forEach(server -> values.put(tags(server), value.applyAsDouble(server)));
            Objects.requireNonNull(gauges.get(meter)).update(values);
        });
    }

    private static Tags tags(ServerState server) {
        return Tags.of(
                DelayQueueMeters.Key.SERVER.asString(),
                server.server().isEmpty() ? FindingGauges.NONE : server.server());
    }
}
