package io.delayqueue.metrics;

import io.delayqueue.Internal;
import io.delayqueue.admin.TopicCounts;
import io.delayqueue.admin.TopicSample;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.admin.TopicStatus;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Gauges of the topics, read from the last sample; reading a gauge calls no server. The gauges of a topic are
 * registered with the first sample that contains it. With the first sample that no longer contains it, all meters of
 * the topic are removed. Gauges of a topic whose state could not be read are NaN. Thread-safe.
 */
@Internal
public final class TopicGauges {

    private static final double NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

    private final MeterRegistry registry;
    private final TopicSampler sampler;
    private final EventMeters events;
    private final ListenerGauges listeners;
    private final LongSupplier nanoTime;
    private final Map<String, Topic> topics = new HashMap<>();
    private volatile double unknown = Double.NaN;
    private boolean begun;

    /**
     * Creates the gauges; {@link #begin()} registers them.
     *
     * @param events removes its meters of a deleted topic
     * @param listeners updated with each sample
     * @param nanoTime the monotonic clock, in nanoseconds; for the age before the first sample
     */
    public TopicGauges(
            MeterRegistry registry,
            TopicSampler sampler,
            EventMeters events,
            ListenerGauges listeners,
            LongSupplier nanoTime) {
        this.registry = registry;
        this.sampler = sampler;
        this.events = events;
        this.listeners = listeners;
        this.nanoTime = nanoTime;
    }

    /** Registers the gauges, now and with each sample. Further calls have no effect. */
    public synchronized void begin() {
        if (begun) {
            return;
        }
        begun = true;
        long now = nanoTime.getAsLong();
        MeterGroup group = new MeterGroup(registry);
        group.secondsGauge(DelayQueueMeters.SAMPLE_AGE, this, gauges -> gauges.ageSeconds(now));
        group.gauge(DelayQueueMeters.TOPICS_UNKNOWN, this, gauges -> gauges.unknown);
        listeners.update();
        sampler.onSample(this::update);
    }

    private double ageSeconds(long start) {
        return sampler.age().map(Duration::toNanos).orElseGet(() -> nanoTime.getAsLong() - start) / NANOS_PER_SECOND;
    }

    private synchronized void update() {
        listeners.update();
        List<TopicStatus> newest =
                sampler.newest().stream().map(TopicSample::status).toList();
        for (TopicStatus status : newest) {
            topics.computeIfAbsent(status.topic(), name -> new Topic(registry, status)).status = status;
        }
        Set<String> present = newest.stream().map(TopicStatus::topic).collect(Collectors.toSet());
        topics.entrySet().removeIf(entry -> {
            boolean gone = !present.contains(entry.getKey());
            if (gone) {
                forget(entry.getKey(), entry.getValue());
            }
            return gone;
        });
        unknown = newest.stream().filter(status -> status.counts() == null).count();
    }

    private void forget(String topic, Topic gauges) {
        gauges.group.remove();
        if (!listeners.listenTo(
                topic)) { // a listener registers the topic's meters again, and its counters would restart at zero
            events.forget(topic);
        }
    }

    /** The gauges of one topic. */
    private static final class Topic {

        private final MeterGroup group;
        private volatile TopicStatus status;

        Topic(MeterRegistry registry, TopicStatus first) {
            status = first;
            group = new MeterGroup(registry);
            String name = first.topic();
            messages(name, "scheduled", TopicCounts::scheduled);
            messages(name, "ready", TopicCounts::ready);
            messages(name, "leased", TopicCounts::leased);
            messages(name, "dead", TopicCounts::dead);
            group.secondsGauge(
                    DelayQueueMeters.LAG,
                    this,
                    topic -> topic.value(counts -> counts.lag().toNanos() / NANOS_PER_SECOND),
                    name);
            group.gauge(
                    DelayQueueMeters.CONSUMERS,
                    this,
                    topic -> topic.status.consumers().size(),
                    name);
            group.gauge(DelayQueueMeters.TOPICS_UNCONSUMED, this, topic -> topic.value(topic::unconsumed), name);
        }

        private double unconsumed(TopicCounts counts) {
            return status.consumers().isEmpty() && counts.scheduled() + counts.ready() + counts.leased() > 0 ? 1 : 0;
        }

        private void messages(String name, String state, ToLongFunction<TopicCounts> count) {
            group.gauge(DelayQueueMeters.MESSAGES, this, topic -> topic.value(count::applyAsLong), name, state);
        }

        private double value(ToDoubleFunction<TopicCounts> of) {
            TopicCounts counts = status.counts();
            return counts == null ? Double.NaN : of.applyAsDouble(counts);
        }
    }
}
