package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.message.Completions;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the messages of all topics by due time, for pages that ask again and again. Callers at the same time share one
 * reading, which is used for 50 ms for each of its commands, so that all callers together cost 20 commands a second at most.
 * Thread-safe.
 */
@Internal
public final class UpcomingSampler {

    /** The number of buckets. */
    public static final int BUCKETS = 24;

    /** The permitted spans. Null, until the last message is due, is permitted, too. */
    public static final List<Duration> SPANS = List.of(Duration.ofHours(1), Duration.ofDays(1));

    private static final Duration USED_PER_COMMAND = Duration.ofMillis(50);
    /** Commands that read a shard, beside those for the buckets. */
    private static final int OTHER_COMMANDS = 8;

    private final DelayQueueInspector inspector;
    private final TopicSampler sampler;
    private final LongSupplier nanoTime;
    /** The newest reading of each span; also while it is pending. */
    private final Map<Optional<Duration>, CompletableFuture<Upcoming>> newest = new HashMap<>();

    /** When the time for which the last reading is used has passed, by the monotonic clock. */
    private long usedUntil;

    /**
     * Creates a sampler.
     *
     * @param inspector counts messages
     * @param sampler knows the topics and when their last messages are due
     * @param nanoTime the monotonic clock
     */
    public UpcomingSampler(DelayQueueInspector inspector, TopicSampler sampler, LongSupplier nanoTime) {
        this.inspector = inspector;
        this.sampler = sampler;
        this.nanoTime = nanoTime;
        this.usedUntil = nanoTime.getAsLong();
    }

    /**
     * Returns a recent count of the messages of all topics. A topic that cannot be read counts as empty.
     *
     * @param span one of {@link #SPANS}; null to count until the last message is due
     * @throws IllegalArgumentException if there is no such span
     * @throws io.delayqueue.template.DelayQueueUnavailableException if Redis does not reply
     */
    public Upcoming recent(@Nullable Duration span) {
        if (span != null && !SPANS.contains(span)) {
            throw new IllegalArgumentException("The span of all topics must be PT1H, P1D or all, but was " + span);
        }
        List<TopicStatus> topics = sampler.recent();
        return Await.result(reading(span, topics));
    }

    private synchronized CompletableFuture<Upcoming> reading(@Nullable Duration span, List<TopicStatus> topics) {
        CompletableFuture<Upcoming> known = newest.get(Optional.ofNullable(span));
        boolean failed = known != null && known.isCompletedExceptionally();
        if (known != null && !failed && (!known.isDone() || nanoTime.getAsLong() - usedUntil < 0)) {
            return known;
        }
        List<TopicStatus> read =
                topics.stream().filter(UpcomingSampler::hasMessages).toList();
        long shards = read.stream().mapToLong(TopicStatus::shards).sum();
        long now = nanoTime.getAsLong();
        usedUntil = (usedUntil - now > 0 ? usedUntil : now)
                + USED_PER_COMMAND
                        .multipliedBy(shards * (BUCKETS + OTHER_COMMANDS))
                        .toNanos();
        CompletableFuture<Upcoming> reading = Completions.call(() -> read(span, read));
        newest.put(Optional.ofNullable(span), reading);
        return reading;
    }

    private static boolean hasMessages(TopicStatus topic) {
        TopicCounts counts = topic.counts();
        return counts == null || counts.scheduled() + counts.ready() > 0;
    }

    private CompletableFuture<Upcoming> read(@Nullable Duration span, List<TopicStatus> topics) {
        List<String> names = topics.stream().map(TopicStatus::topic).toList();
        Instant latest = topics.stream()
                .map(TopicStatus::counts)
                .map(counts -> counts == null ? null : counts.latestDue())
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElse(null);
        return inspector.upcoming(
                names,
                now -> span == null ? Upcoming.widthUntil(latest, now, BUCKETS) : span.dividedBy(BUCKETS),
                BUCKETS);
    }
}
