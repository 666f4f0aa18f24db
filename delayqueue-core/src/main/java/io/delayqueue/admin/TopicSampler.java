package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.admin.DelayQueueInspector.Snapshot;
import io.delayqueue.coordination.LeaseHolder;
import io.delayqueue.coordination.RedisTask;
import io.delayqueue.coordination.Throughput;
import io.delayqueue.coordination.ThroughputReporter.Reports;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.message.Completions;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.server.ServerState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Samples all topics and nodes at an interval and keeps the last samples in memory, so that readers need no network.
 * Thread-safe. If a sample fails, earlier samples stay and it is retried soon; {@link #age()} returns their age. The
 * sample of a topic that could not be counted has no counts.
 */
@Internal
public final class TopicSampler extends RedisTask {

    /** Number of samples kept for each topic. */
    public static final int KEPT = 60;

    /**
     * The time for which a reading of one shard or server, twelve commands or fewer, is used: at most 80 commands a second. With those of
     * {@link UpcomingSampler}, open pages cost at most a hundred.
     */
    private static final Duration USED_PER_SHARD = Duration.ofMillis(150);

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final DelayQueueInspector inspector;
    private final Supplier<CompletableFuture<List<ServerState>>> servers;
    private final Duration interval;
    private final InstantSource clock;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    /**
     * By topic; samples are oldest first. The map is replaced as a whole, so that a reader sees one point in time.
     */
    private volatile SortedMap<String, List<TopicSample>> samples = Collections.emptySortedMap();

    private volatile @Nullable Sampled last;
    private volatile List<LeaseHolder> holders = List.of();
    /** The newest reading, of a sample or for {@link #recent()}; also while it is pending. */
    private volatile @Nullable CompletableFuture<Sampled> newestReading;

    private record Sampled(Instant at, long nanos, Snapshot snapshot, List<ServerState> servers) {}

    /** A reading, the attempts of the last minute by topic, and what processes reported. */
    private record Sample(Sampled sampled, Map<String, Attempts> attempts, Reports reports) {

        TopicSample of(String topic, TopicCounts counts) {
            Attempts ended = attempts.getOrDefault(topic, Attempts.NONE);
            Throughput each = reports.throughput().getOrDefault(topic, Throughput.NONE);
            return new TopicSample(sampled.at(), counts, each.sent(), ended.all() + each.received(), ended.failed());
        }
    }

    /**
     * Creates a sampler. It samples only when it is run.
     *
     * @param servers reads the state of each server; never fails
     * @param interval time between samples, 1 s to 10 min
     * @param clock dates the samples
     * @param nanoTime the monotonic clock
     * @throws IllegalArgumentException if the interval is out of range
     */
    public TopicSampler(
            DelayQueueInspector inspector,
            Supplier<CompletableFuture<List<ServerState>>> servers,
            Duration interval,
            InstantSource clock,
            LongSupplier nanoTime) {
        super(nanoTime);
        checkInterval(interval);
        this.inspector = inspector;
        this.servers = servers;
        this.interval = interval;
        this.clock = clock;
    }

    /**
     * Checks an interval.
     *
     * @throws InvalidOptionException if it is out of range
     */
    public static void checkInterval(Duration sampleInterval) {
        InvalidOptionException.requireRange("sampleInterval", sampleInterval, SHORTEST, LONGEST);
    }

    @Override
    protected Duration roundTrip() {
        Sample sample = reply(() -> requestReading()
                .thenCombine(
                        inspector.reports(),
                        (sampled, reports) ->
                                new Sample(sampled, sampled.snapshot().nodes().attempts(), reports)));
        if (sample == null) {
            return UNTIL_WOKEN;
        }
        Sampled sampled = sample.sampled();
        SortedMap<String, List<TopicSample>> before = samples;
        SortedMap<String, List<TopicSample>> now = new TreeMap<>();
        for (TopicStatus status : sampled.snapshot().topics()) {
            List<TopicSample> history = before.getOrDefault(status.topic(), List.of());
            TopicCounts counts = status.counts();
            now.put(
                    status.topic(),
                    counts == null ? history : with(history, sample.of(status.topic(), counts.withoutTimes())));
        }
        samples = Collections.unmodifiableSortedMap(now);
        last = sampled;
        holders = sample.reports().holders();
        newestReading = CompletableFuture.completedFuture(sampled);
        listeners.forEach(Runnable::run);
        return interval;
    }

    private CompletableFuture<Sampled> requestReading() {
        Instant at = clock.instant();
        long nanos = nanoTime.getAsLong();
        return inspector
                .snapshot()
                .thenCombine(servers.get(), (snapshot, states) -> new Sampled(at, nanos, snapshot, states));
    }

    private static List<TopicSample> with(List<TopicSample> history, TopicSample newest) {
        List<TopicSample> samples =
                new ArrayList<>(history.subList(Math.max(0, history.size() - KEPT + 1), history.size()));
        samples.add(newest);
        return List.copyOf(samples);
    }

    /** Registers a callback that runs after each sample on the sampling thread. It must be fast and must not throw. */
    public void onSample(Runnable listener) {
        listeners.add(listener);
    }

    /** The status of each topic at the newest sample, ordered by topic; empty before the first sample. */
    public List<TopicStatus> newest() {
        Sampled sampled = last;
        return sampled == null ? List.of() : sampled.snapshot().topics();
    }

    /**
     * The last samples of a topic that have counts, oldest first, at most 60; empty if the topic was not registered at
     * the last sample.
     */
    public List<TopicSample> history(String topic) {
        return samples.getOrDefault(topic, List.of());
    }

    /** The newest sample of a topic that has counts; empty before it. */
    public Optional<TopicSample> newest(String topic) {
        List<TopicSample> history = history(topic);
        return history.isEmpty() ? Optional.empty() : Optional.of(history.get(history.size() - 1));
    }

    /** The nodes at the newest sample; empty before the first sample. */
    public Optional<Nodes> nodes() {
        return Optional.ofNullable(last).map(sampled -> sampled.snapshot().nodes());
    }

    /** The state of each server at the newest sample; empty before the first sample. */
    public List<ServerState> servers() {
        Sampled sampled = last;
        return sampled == null ? List.of() : sampled.servers();
    }

    /** The holders of old leases at the newest sample, the oldest lease first; empty before the first sample. */
    public List<LeaseHolder> holders() {
        return holders;
    }

    /** The state of each server at the newest reading, of a sample or for {@link #recent()}. */
    public List<ServerState> recentServers() {
        CompletableFuture<Sampled> newest = newestReading;
        return newest == null || !newest.isDone() || newest.isCompletedExceptionally()
                ? servers()
                : newest.join().servers();
    }

    /**
     * The status of all topics, ordered by topic, for pages that ask again and again. Few topics are read with each
     * call. Many are read again after 150 ms for each shard, so that all callers together cost 80 commands a second at
     * most. Callers at the same time share one reading.
     *
     * @throws io.delayqueue.template.DelayQueueUnavailableException if Redis does not reply
     */
    public List<TopicStatus> recent() {
        return Await.result(recentReading()).snapshot().topics();
    }

    private synchronized CompletableFuture<Sampled> recentReading() {
        CompletableFuture<Sampled> known = newestReading;
        if (known == null || (known.isDone() && !isRecent(known))) {
            known = Completions.call(this::requestReading);
            newestReading = known;
        }
        return known;
    }

    private boolean isRecent(CompletableFuture<Sampled> reading) {
        if (reading.isCompletedExceptionally()) {
            return false;
        }
        Sampled sampled = reading.join();
        int shards = sampled.snapshot().topics().stream()
                .mapToInt(TopicStatus::shards)
                .sum();
        return nanoTime.getAsLong() - sampled.nanos()
                < USED_PER_SHARD
                        .multipliedBy((long) shards + sampled.servers().size())
                        .toNanos();
    }

    /** Age of the newest sample; empty before the first sample. */
    public Optional<Duration> age() {
        return Optional.ofNullable(last).map(sampled -> Duration.ofNanos(nanoTime.getAsLong() - sampled.nanos()));
    }
}
