package io.delayqueue.metrics;

import io.delayqueue.Internal;
import io.delayqueue.admin.HandlerForecasts;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.QueueDiagnosis;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.template.CommitOutbox;
import io.delayqueue.template.OutboxState.Content;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Gauges of this process' listeners, and of the topics in the last sample; reading a gauge calls no server. The gauges
 * of a topic are registered with the first sample that contains it. With the first sample that no longer contains it,
 * all meters of the topic are removed. Topics that have no meters of their own share gauges. Gauges of a topic whose state
 * could not be read are NaN. Thread-safe.
 */
@Internal
public final class DelayQueueGauges implements SmartLifecycle {

    private static final double NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

    private final MeterRegistry registry;
    private final TopicSampler sampler;
    private final HandlerForecasts forecasts;
    private final QueueDiagnosis diagnosis;
    private final EventMeters events;
    private final Supplier<? extends Collection<? extends ManagedListener>> listeners;
    private final @Nullable CommitOutbox outbox;
    private final LongSupplier nanoTime;
    private final Map<String, TopicGauges> topics = new HashMap<>();
    private final Set<String> knownListeners = new HashSet<>();
    private final FindingGauges findings;
    private final ServerGauges servers;
    private volatile boolean running;

    /**
     * Creates the gauges; {@link #start()} registers them.
     *
     * @param forecasts forecasts how many handlers topics need
     * @param diagnosis finds what an operator should look at
     * @param events decides which topics have meters of their own; registers its meters of each new listener, and
     *     removes its meters of a deleted topic
     * @param listeners supplies all listeners; later calls may return more
     * @param outbox the outbox; null if there is none
     * @param nanoTime the monotonic clock, in nanoseconds; for the age before the first sample
     */
    public DelayQueueGauges(
            MeterRegistry registry,
            TopicSampler sampler,
            HandlerForecasts forecasts,
            QueueDiagnosis diagnosis,
            EventMeters events,
            Supplier<? extends Collection<? extends ManagedListener>> listeners,
            @Nullable CommitOutbox outbox,
            LongSupplier nanoTime) {
        this.registry = registry;
        this.sampler = sampler;
        this.forecasts = forecasts;
        this.diagnosis = diagnosis;
        this.events = events;
        this.listeners = listeners;
        this.outbox = outbox;
        this.nanoTime = nanoTime;
        this.findings = new FindingGauges(registry, events::tag);
        this.servers = new ServerGauges(registry);
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
        if (outbox != null) {
            register(outbox, group);
        }
        registerListeners();
        sampler.onSample(this::update);
    }

    private static void register(CommitOutbox outbox, MeterGroup group) {
        group.gauge(DelayQueueMeters.OUTBOX_MESSAGES, outbox, read -> value(read, Content::waiting), "waiting");
        group.gauge(DelayQueueMeters.OUTBOX_MESSAGES, outbox, read -> value(read, Content::setAside), "set_aside");
        group.gauge(
                DelayQueueMeters.OUTBOX_AGE,
                outbox,
                read -> value(read, content -> content.oldest().toNanos() / NANOS_PER_SECOND));
    }

    private static double value(CommitOutbox outbox, ToDoubleFunction<Content> value) {
        return outbox.state() instanceof Content content ? value.applyAsDouble(content) : Double.NaN;
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

    private synchronized void update() {
        registerListeners();
        List<TopicStatus> newest = sampler.newest();
        Set<String> present = newest.stream().map(TopicStatus::topic).collect(Collectors.toSet());
        topics.keySet().stream()
                .filter(topic -> !topic.equals(EventMeters.OTHER) && !present.contains(topic))
                .toList()
                .forEach(this::forget);
        Map<String, List<TopicStatus>> byTag =
                newest.stream().collect(Collectors.groupingBy(status -> events.tag(status.topic())));
        byTag.forEach((tag, statuses) -> topics.computeIfAbsent(tag, name -> new TopicGauges(registry, forecasts, name))
                .update(statuses));
        if (!byTag.containsKey(EventMeters.OTHER)) {
            removeGauges(EventMeters.OTHER);
        }
        servers.update(sampler.servers());
        sampler.nodes()
                .ifPresent(nodes -> findings.update(diagnosis
                        .diagnose(newest, nodes, sampler.servers(), sampler.holders())
                        .all()));
    }

    private void registerListeners() {
        for (ManagedListener listener : listeners.get()) {
            events.expect(new Recipient(listener.topic(), listener.kind(), listener.id()));
            if (shared(listener)) {
                if (knownListeners.add(EventMeters.OTHER)) {
                    permits(EventMeters.OTHER, EventMeters.OTHER, this::sharing);
                }
            } else if (knownListeners.add(listener.id())) {
                permits(listener.topic(), listener.id(), () -> Stream.of(listener));
            }
        }
    }

    /** Whether the listener's topic has no meters of its own. */
    private boolean shared(ManagedListener listener) {
        return events.tag(listener.topic()).equals(EventMeters.OTHER);
    }

    private Stream<? extends ManagedListener> sharing() {
        return listeners.get().stream().filter(this::shared);
    }

    private void permits(String topic, String listener, Supplier<Stream<? extends ManagedListener>> concerned) {
        MeterGroup group = new MeterGroup(registry, topic, listener);
        group.gauge(
                DelayQueueMeters.PERMITS_USED,
                concerned,
                all -> all.get().mapToInt(ManagedListener::inUse).sum());
        group.gauge(
                DelayQueueMeters.PERMITS_MAX,
                concerned,
                all -> all.get().mapToInt(each -> each.options().concurrency()).sum());
    }

    private void forget(String topic) {
        removeGauges(topic);
        // a listener registers the topic's meters again, and its counters would restart at zero
        if (listeners.get().stream().noneMatch(listener -> listener.topic().equals(topic))) {
            events.forget(topic);
        }
    }

    private void removeGauges(String tag) {
        TopicGauges gauges = topics.remove(tag);
        if (gauges != null) {
            gauges.group.remove();
            gauges.required.remove();
        }
    }

    /** The gauges of a topic, or of all topics that have none of their own. */
    private static final class TopicGauges {

        private final MeterGroup group;
        private final HandlerForecasts forecasts;
        /** Without a gauge while no number of handlers is known. */
        private final MeterGroup required;

        private volatile List<TopicStatus> statuses = List.of();
        private boolean hasParked;
        private boolean hasSchedules;
        private boolean hasRequired;

        TopicGauges(MeterRegistry registry, HandlerForecasts forecasts, String tag) {
            group = new MeterGroup(registry, tag);
            required = new MeterGroup(registry, tag);
            this.forecasts = forecasts;
            messages("scheduled", TopicCounts::scheduled);
            messages("ready", counts -> counts.ready() - counts.suspects() - counts.parked());
            messages("suspect", TopicCounts::suspects);
            messages("leased", TopicCounts::leased);
            messages("dead", TopicCounts::dead);
            group.gauge(
                    DelayQueueMeters.LAG,
                    this,
                    topic -> topic.values(counts -> counts.lag().toNanos() / NANOS_PER_SECOND)
                            .max()
                            .orElse(Double.NaN));
            group.gauge(
                    DelayQueueMeters.CONSUMERS,
                    this,
                    topic -> topic.statuses.stream()
                            .flatMap(status -> status.consumers().stream())
                            .distinct()
                            .count());
        }

        /**
         * From the first parked message on, which only an ordered topic has, there is a series of them; from the first schedule on
         * also.
         */
        void update(List<TopicStatus> newest) {
            statuses = newest;
            if (!hasParked && values(TopicCounts::parked).anyMatch(parked -> parked > 0)) {
                hasParked = true;
                messages("parked", TopicCounts::parked);
            }
            if (!hasSchedules && values(TopicCounts::schedules).anyMatch(schedules -> schedules > 0)) {
                hasSchedules = true;
                group.gauge(
                        DelayQueueMeters.SCHEDULES,
                        this,
                        topic -> topic.values(TopicCounts::schedules).sum());
            }
            updateRequired();
        }

        private void updateRequired() {
            boolean known = requiredHandlers().findAny().isPresent();
            if (known && !hasRequired) {
                required.gauge(
                        DelayQueueMeters.REQUIRED_HANDLERS,
                        this,
                        topic -> topic.requiredHandlers().sum());
            } else if (!known && hasRequired) {
                required.remove();
            }
            hasRequired = known;
        }

        private IntStream requiredHandlers() {
            return statuses.stream()
                    .map(status -> forecasts.of(status.topic()).required())
                    .filter(Objects::nonNull)
                    .mapToInt(Integer::intValue);
        }

        private void messages(String state, ToDoubleFunction<TopicCounts> count) {
            group.gauge(
                    DelayQueueMeters.MESSAGES,
                    this,
                    topic -> topic.values(count).sum(),
                    state);
        }

        private DoubleStream values(ToDoubleFunction<TopicCounts> of) {
            return statuses.stream().mapToDouble(status -> value(status, of));
        }

        private static double value(TopicStatus status, ToDoubleFunction<TopicCounts> of) {
            TopicCounts counts = status.counts();
            return counts == null ? Double.NaN : of.applyAsDouble(counts);
        }
    }
}
