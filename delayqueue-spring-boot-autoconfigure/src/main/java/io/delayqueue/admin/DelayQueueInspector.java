package io.delayqueue.admin;

import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.coordination.Roster;
import io.delayqueue.coordination.Roster.Member;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.Forecast;
import io.delayqueue.store.Listing.Place;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.ShardReader;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the queue: topics, nodes, messages. It only reads, and leaves nothing in Redis. Thread-safe.
 *
 * <p>Each method throws {@link io.delayqueue.template.DelayQueueUnavailableException} when Redis doesn't answer.
 */
public final class DelayQueueInspector {

    /** The most messages of a page. */
    public static final int MAX_PAGE = ShardReader.MAX_LISTED;

    /** The most buckets of an {@link Upcoming}. */
    public static final int MAX_BUCKETS = ShardReader.MAX_BUCKETS;

    /** How far an {@link Upcoming} looks ahead at most. */
    public static final Duration MAX_SPAN = Duration.ofDays(365_250);

    private static final int TOPICS_AT_ONCE = 200;

    private final ShardReader reader;
    private final TopicRegistry registry;
    private final TopicCounter counter;
    private final NodeDirectory directory;
    private final MessagePages pages;

    /** Over a store, what reads its shards, and what knows topics and nodes. */
    public DelayQueueInspector(
            MessageStore store, ShardReader reader, TopicRegistry registry, NodeDirectory directory) {
        this.counter = new TopicCounter(store, registry);
        this.reader = reader;
        this.registry = registry;
        this.directory = directory;
        this.pages = new MessagePages(reader);
    }

    /**
     * All registered topics, by name, but for those that this version cannot read. A topic of which a shard doesn't answer
     * is there without counts, with the reason. A round trip for the registry, one for the nodes and one for each shard;
     * many shards are asked at a time, so that those that don't answer cost one command time-out together.
     */
    public List<TopicStatus> topics() {
        return asked("To look at all topics", () -> {
            SortedSet<String> topics = registry.topics();
            Roster roster = directory.roster();
            List<TopicStatus> all = new ArrayList<>(topics.size());
            for (List<String> some : batches(List.copyOf(topics))) {
                List<CompletableFuture<Optional<TopicStatus>>> asked = some.stream()
                        .map(topic -> readableStatus(topic, roster))
                        .toList();
                asked.forEach(status -> joined(status).ifPresent(all::add));
            }
            return List.copyOf(all);
        });
    }

    private static List<List<String>> batches(List<String> topics) {
        return IntStream.iterate(0, begin -> begin < topics.size(), begin -> begin + TOPICS_AT_ONCE)
                .mapToObj(begin -> topics.subList(begin, Math.min(topics.size(), begin + TOPICS_AT_ONCE)))
                .toList();
    }

    /** Never fails for what a topic's state, or its server's, is: that is no reason to show none of the others. */
    private CompletableFuture<Optional<TopicStatus>> readableStatus(String topic, Roster roster) {
        return counter.count(topic)
                .thenApply(found -> found.map(counts -> status(topic, counts, null, roster)))
                .exceptionally(failure -> {
                    Throwable cause = TopicCounter.cause(failure);
                    if (cause instanceof RedisCallException) {
                        return Optional.of(status(topic, null, cause.getMessage(), roster));
                    }
                    if (cause instanceof TopicConflictException conflict) {
                        registry.leftOut(topic, conflict);
                        return Optional.empty();
                    }
                    throw new CompletionException(cause);
                });
    }

    /**
     * Asks for how long the oldest due message of a topic has been waiting, without blocking.
     *
     * @return zero if the topic isn't registered; fails when Redis doesn't answer, or holds what this version cannot read
     */
    public CompletableFuture<Duration> lag(String topic) {
        DelayMessage.checkTopic(topic);
        return counter.count(topic)
                .thenApply(counts -> counts.map(TopicCounts::lag).orElse(Duration.ZERO));
    }

    /** A topic; empty if it isn't registered. */
    public Optional<TopicStatus> topic(String topic) {
        DelayMessage.checkTopic(topic);
        return asked(
                "To look at topic " + topic,
                () -> registry.isRegistered(topic) ? status(topic, directory.roster()) : Optional.empty());
    }

    private Optional<TopicStatus> status(String topic, Roster roster) {
        return joined(counter.count(topic)).map(counts -> status(topic, counts, null, roster));
    }

    private TopicStatus status(String topic, @Nullable TopicCounts counts, @Nullable String problem, Roster roster) {
        int shards = registry.likelyShardOf(topic, topic).map(Shard::count).orElse(1);
        List<String> consumers = roster.nodes().stream()
                .filter(node -> node.messages().contains(topic))
                .map(Member::name)
                .toList();
        return new TopicStatus(
                topic,
                shards,
                counts,
                consumers,
                roster.watchers(topic, shards),
                roster.paused().contains(topic),
                problem);
    }

    /**
     * Reads live messages in the order of a view, over all shards; what is due is judged by the clock of each shard's
     * server. One round trip for each shard. Whatever stays where it is while pages are read is on exactly one of
     * them; what moves meanwhile may be on several or none. A message that nobody can read is there with all of it as
     * payload, and the reason as its last failure.
     *
     * @param count at most so many, 1 to 500; fewer when they are large
     * @param page as {@link MessagePage#next()} gave it, or null for the first
     * @throws IllegalArgumentException if the count is out of range or the page is none of this view
     */
    public MessagePage messages(String topic, MessageView view, int count, @Nullable String page) {
        DelayMessage.checkTopic(topic);
        if (count < 1 || count > MAX_PAGE) {
            throw new IllegalArgumentException("A page has 1 to " + MAX_PAGE + " messages, but not " + count);
        }
        Place after = page == null ? null : MessageCursor.parse(view, page).place();
        return asked(
                "To read messages of topic " + topic,
                () -> registry.lookThrough(topic, shards -> pages.read(shards, view, after, count))
                        .orElse(new MessagePage(List.of(), null)));
    }

    /**
     * Counts messages by when they will be due.
     *
     * @param span how far to look ahead, at least a millisecond for each bucket, at most 1,000 years; the buckets together
     *     are at least as wide
     * @param buckets 1 to 120
     * @throws IllegalArgumentException if a value is out of range
     */
    public Upcoming upcoming(String topic, Duration span, int buckets) {
        DelayMessage.checkTopic(topic);
        if (buckets < 1 || buckets > MAX_BUCKETS) {
            throw new IllegalArgumentException("There are 1 to " + MAX_BUCKETS + " buckets, but not " + buckets);
        }
        if (span.compareTo(Duration.ofMillis(buckets)) < 0 || span.compareTo(MAX_SPAN) > 0) {
            throw new IllegalArgumentException("A span of " + buckets + " buckets is " + Duration.ofMillis(buckets)
                    + " to " + MAX_SPAN + " long, but not " + span);
        }
        Duration width = Duration.ofMillis((span.toMillis() + buckets - 1) / buckets);
        return asked("To count upcoming messages of topic " + topic, () -> forecast(topic, width, buckets));
    }

    private Upcoming forecast(String topic, Duration width, int buckets) {
        List<Forecast> forecasts = registry.lookThrough(
                        topic,
                        shards -> shards.stream()
                                .map(shard -> reader.upcoming(shard, width, buckets))
                                .flatMap(Optional::stream)
                                .toList())
                .orElse(List.of());
        Instant from = forecasts.isEmpty()
                ? directory.roster().now()
                : forecasts.get(0).now();
        List<Long> counts = IntStream.range(0, buckets)
                .mapToObj(bucket -> forecasts.stream()
                        .mapToLong(forecast -> forecast.counts().get(bucket))
                        .sum())
                .toList();
        return new Upcoming(
                from,
                width,
                forecasts.stream().mapToLong(Forecast::overdue).sum(),
                counts,
                forecasts.stream().mapToLong(Forecast::later).sum());
    }

    /** The nodes that live, by name. A round trip, and one for each topic that this process doesn't know yet. */
    public List<NodeStatus> nodes() {
        return asked("To look at the nodes", () -> {
            Roster roster = directory.roster();
            Map<String, List<String>> watchers = watchers(roster);
            return roster.nodes().stream().map(node -> status(node, watchers)).toList();
        });
    }

    private Map<String, List<String>> watchers(Roster roster) {
        Map<String, CompletableFuture<Optional<List<Shard>>>> asked = new TreeMap<>();
        roster.nodes().stream()
                .flatMap(node -> node.watched().stream())
                .forEach(topic -> asked.computeIfAbsent(topic, this::registeredShards));
        Map<String, List<String>> watchers = new TreeMap<>();
        asked.forEach((topic, found) ->
                joined(found).ifPresent(shards -> watchers.put(topic, roster.watchers(topic, shards.size()))));
        return watchers;
    }

    /** Empty also for what this version cannot read, of which nobody can tell who watches it. */
    private CompletableFuture<Optional<List<Shard>>> registeredShards(String topic) {
        return registry.registeredShardsAsync(topic).exceptionally(failure -> {
            if (TopicCounter.cause(failure) instanceof TopicConflictException) {
                return Optional.empty();
            }
            throw new CompletionException(TopicCounter.cause(failure));
        });
    }

    private static NodeStatus status(Member node, Map<String, List<String>> watchers) {
        SortedSet<String> topics = new TreeSet<>(node.messages());
        topics.addAll(node.deaths());
        SortedMap<String, List<Integer>> watches = new TreeMap<>();
        watchers.forEach((topic, names) -> {
            List<Integer> shards = IntStream.range(0, names.size())
                    .filter(shard -> names.get(shard).equals(node.name()))
                    .boxed()
                    .toList();
            if (!shards.isEmpty()) {
                watches.put(topic, shards);
            }
        });
        return new NodeStatus(node.name(), node.lastSeen(), List.copyOf(topics), watches);
    }

    private static <T> T joined(CompletableFuture<T> asked) {
        try {
            return asked.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private static <T> T asked(String attempt, Supplier<T> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            throw DelayQueueException.after(attempt, e);
        }
    }
}
