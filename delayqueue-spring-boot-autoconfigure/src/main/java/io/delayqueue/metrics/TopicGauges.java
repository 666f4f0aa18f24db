package io.delayqueue.metrics;

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
 * What stands in Redis, as the last sample says; reading a gauge asks nobody. A topic's gauges come with the first sample
 * that knows it, and go, with all its other meters, with the first one that knows it no more. What a topic didn't tell is
 * not a number. Thread-safe.
 */
public final class TopicGauges {

    private static final double NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

    private final MeterRegistry registry;
    private final TopicSampler sampler;
    private final EventMeters events;
    private final ListenerGauges listeners;
    private final LongSupplier nanoTime;
    private final Map<String, Topic> topics = new HashMap<>();
    private volatile double unconsumed = Double.NaN;
    private volatile double unknown = Double.NaN;
    private boolean begun;

    /**
     * Into a registry, once it has begun.
     *
     * @param events whose meters of a topic go with it
     * @param listeners brought up to date with each sample
     * @param nanoTime the monotonic clock, by which the age counts before the first sample
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

    /** Registers what there is, and what comes with each sample from now on. To be called again changes nothing. */
    public synchronized void begin() {
        if (begun) {
            return;
        }
        begun = true;
        long now = nanoTime.getAsLong();
        MeterGroup group = new MeterGroup(registry);
        group.secondsGauge(DelayQueueMeters.SAMPLE_AGE, this, gauges -> gauges.ageSeconds(now));
        group.gauge(DelayQueueMeters.TOPICS_UNCONSUMED, this, gauges -> gauges.unconsumed);
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
        unconsumed = newest.stream().filter(TopicGauges::isUnconsumed).count();
        unknown = newest.stream().filter(status -> status.counts() == null).count();
    }

    private void forget(String topic, Topic gauges) {
        gauges.group.remove();
        if (!listeners.listenTo(topic)) { // whoever listens brings it back, and would count from zero
            events.forget(topic);
        }
    }

    private static boolean isUnconsumed(TopicStatus status) {
        TopicCounts counts = status.counts();
        return counts != null
                && status.consumers().isEmpty()
                && counts.scheduled() + counts.ready() + counts.leased() > 0;
    }

    /** One topic's gauges. */
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
