package io.delayqueue.metrics;

import io.delayqueue.Internal;
import io.delayqueue.admin.Finding.Kind;
import io.delayqueue.admin.QueueDiagnosis;
import io.delayqueue.admin.TopicCounts;
import io.delayqueue.admin.TopicSample;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ManagedListener;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Gauges of this process' listeners, and of the topics in the last sample; reading a gauge calls no server. The gauges
 * of a topic are registered with the first sample that contains it. With the first sample that no longer contains it,
 * all meters of the topic are removed. Gauges of a topic whose state could not be read are NaN. Thread-safe.
 */
@Internal
public final class DelayQueueGauges implements SmartLifecycle {

    private static final double NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

    private final MeterRegistry registry;
    private final TopicSampler sampler;
    private final QueueDiagnosis diagnosis;
    private final EventMeters events;
    private final Supplier<? extends Collection<? extends ManagedListener>> listeners;
    private final LongSupplier nanoTime;
    private final Map<String, TopicGauges> topics = new HashMap<>();
    private final Set<String> knownListeners = new HashSet<>();
    /** Null before the first sample. */
    private volatile @Nullable Map<Kind, Integer> findings;

    private volatile boolean running;

    /**
     * Creates the gauges; {@link #start()} registers them.
     *
     * @param diagnosis finds what an operator should look at
     * @param events registers its meters of each new listener, and removes its meters of a deleted topic
     * @param listeners supplies all listeners; later calls may return more
     * @param nanoTime the monotonic clock, in nanoseconds; for the age before the first sample
     */
    public DelayQueueGauges(
            MeterRegistry registry,
            TopicSampler sampler,
            QueueDiagnosis diagnosis,
            EventMeters events,
            Supplier<? extends Collection<? extends ManagedListener>> listeners,
            LongSupplier nanoTime) {
        this.registry = registry;
        this.sampler = sampler;
        this.diagnosis = diagnosis;
        this.events = events;
        this.listeners = listeners;
        this.nanoTime = nanoTime;
    }

    /** Registers the gauges, now and with each sample. Further calls have no effect. */
    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        running = true;
        long now = nanoTime.getAsLong();
        MeterGroup group = new MeterGroup(registry);
        group.gauge(DelayQueueMeters.SAMPLE_AGE, this, gauges -> gauges.ageSeconds(now));
        for (Kind kind : Kind.values()) {
            group.gauge(
                    DelayQueueMeters.FINDINGS,
                    this,
                    gauges -> gauges.found(kind),
                    kind.name().toLowerCase(Locale.ROOT));
        }
        registerListeners();
        sampler.onSample(this::update);
    }

    /** Does nothing: the gauges keep their last values. */
    @Override
    public void stop() {}

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The meters of all listeners are registered before the first listener starts. */
    @Override
    public int getPhase() {
        return DelayListenerRegistry.PHASE - 1;
    }

    private double ageSeconds(long start) {
        return sampler.age().map(Duration::toNanos).orElseGet(() -> nanoTime.getAsLong() - start) / NANOS_PER_SECOND;
    }

    private double found(Kind kind) {
        Map<Kind, Integer> counts = findings;
        return counts == null ? Double.NaN : counts.getOrDefault(kind, 0);
    }

    private synchronized void update() {
        registerListeners();
        List<TopicStatus> newest =
                sampler.newest().stream().map(TopicSample::status).toList();
        for (TopicStatus status : newest) {
            topics.computeIfAbsent(status.topic(), name -> new TopicGauges(registry, status)).status = status;
        }
        Set<String> present = newest.stream().map(TopicStatus::topic).collect(Collectors.toSet());
        topics.entrySet().removeIf(entry -> {
            boolean gone = !present.contains(entry.getKey());
            if (gone) {
                forget(entry.getKey(), entry.getValue());
            }
            return gone;
        });
        sampler.nodes()
                .ifPresent(nodes -> findings = diagnosis.diagnose(newest, nodes).counts());
    }

    private void registerListeners() {
        for (ManagedListener listener : listeners.get()) {
            if (knownListeners.add(listener.id())) {
                MeterGroup group = new MeterGroup(registry, listener.topic(), listener.id());
                group.gauge(DelayQueueMeters.PERMITS_USED, listener, ManagedListener::inUse);
                group.gauge(
                        DelayQueueMeters.PERMITS_MAX,
                        listener,
                        each -> each.options().concurrency());
                events.expect(new Recipient(listener.topic(), listener.kind(), listener.id()));
            }
        }
    }

    private void forget(String topic, TopicGauges gauges) {
        gauges.group.remove();
        // a listener registers the topic's meters again, and its counters would restart at zero
        if (listeners.get().stream().noneMatch(listener -> listener.topic().equals(topic))) {
            events.forget(topic);
        }
    }

    private static final class TopicGauges {

        private final MeterGroup group;
        private volatile TopicStatus status;

        TopicGauges(MeterRegistry registry, TopicStatus first) {
            status = first;
            group = new MeterGroup(registry, first.topic());
            messages("scheduled", TopicCounts::scheduled);
            messages("ready", TopicCounts::ready);
            messages("leased", TopicCounts::leased);
            messages("dead", TopicCounts::dead);
            group.gauge(
                    DelayQueueMeters.LAG,
                    this,
                    topic -> topic.value(counts -> counts.lag().toNanos() / NANOS_PER_SECOND));
            group.gauge(
                    DelayQueueMeters.CONSUMERS,
                    this,
                    topic -> topic.status.consumers().size());
            group.gauge(DelayQueueMeters.TOPICS_UNCONSUMED, this, topic -> topic.value(topic::unconsumed));
        }

        private double unconsumed(TopicCounts counts) {
            return status.consumers().isEmpty() && counts.scheduled() + counts.ready() + counts.leased() > 0 ? 1 : 0;
        }

        private void messages(String state, ToDoubleFunction<TopicCounts> count) {
            group.gauge(DelayQueueMeters.MESSAGES, this, topic -> topic.value(count), state);
        }

        private double value(ToDoubleFunction<TopicCounts> of) {
            TopicCounts counts = status.counts();
            return counts == null ? Double.NaN : of.applyAsDouble(counts);
        }
    }
}
