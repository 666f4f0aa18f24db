package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.OverdueSchedules.Overdue;
import io.delayqueue.admin.diagnosis.QueueDiagnosis.Limits;
import io.delayqueue.container.EngineSettings;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.store.Purge;
import io.delayqueue.template.OutboxState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Diagnoses with the default thresholds, and nodes to diagnose. */
final class Diagnoses {

    private static final Purge.Retention KEPT = new Purge.Retention(
            EngineSettings.DEFAULTS.deadLetterMaxAge(),
            EngineSettings.DEFAULTS.deadLetterMaxCount(),
            EngineSettings.DEFAULTS.deadLetterMaxBytes());

    private Diagnoses() {}

    static QueueDiagnosis diagnosis(InstantSource clock) {
        return diagnosis(clock, false, () -> null, Map.of());
    }

    static QueueDiagnosis diagnosis(
            InstantSource clock,
            boolean allowEviction,
            Supplier<@Nullable OutboxState> outbox,
            Map<String, TopicLimits> declared) {
        Limits limits = new Limits(Limits.DEFAULT_MAX_LAG, Map.of("slow", Duration.ofMinutes(1)), 0.5, allowEviction);
        return new QueueDiagnosis(
                limits,
                Duration.ofSeconds(5),
                clock,
                outbox,
                Duration.ofMinutes(1),
                declared,
                KEPT,
                topic -> Overdue.NONE);
    }

    static NodeStatus node(String host, Instant lastSeen, ListenerStatus... listeners) {
        return new NodeStatus(
                "id-of-" + host, host, 42, lastSeen, lastSeen, List.of(), new TreeMap<>(), List.of(listeners));
    }
}
