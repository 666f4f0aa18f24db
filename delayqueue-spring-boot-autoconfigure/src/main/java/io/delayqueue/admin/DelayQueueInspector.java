package io.delayqueue.admin;

import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.coordination.Roster;
import io.delayqueue.coordination.Roster.Member;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Forecast;
import io.delayqueue.store.Listing.Place;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.ShardReader;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
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

    private final MessageStore store;
    private final ShardReader reader;
    private final TopicRegistry registry;
    private final NodeDirectory directory;
    private final MessagePages pages;

    /** Over a store, what reads its shards, and what knows topics and nodes. */
    public DelayQueueInspector(
            MessageStore store, ShardReader reader, TopicRegistry registry, NodeDirectory directory) {
        this.store = store;
        this.reader = reader;
        this.registry = registry;
        this.directory = directory;
        this.pages = new MessagePages(reader);
    }

    /**
     * All registered topics, by name, but for those that this version cannot read. A round trip for the registry, one for
     * the nodes and one for each shard.
     */
    public List<TopicStatus> topics() {
        return asked("To look at all topics", () -> {
            SortedSet<String> topics = registry.topics();
            Roster roster = directory.roster();
            return topics.stream()
                    .flatMap(topic -> readableStatus(topic, roster).stream())
                    .toList();
        });
    }

    /** Empty for a topic that this version cannot read, which is no reason to show none of the others. */
    private Optional<TopicStatus> readableStatus(String topic, Roster roster) {
        try {
            return status(topic, roster);
        } catch (TopicConflictException e) {
            registry.leftOut(topic, e);
            return Optional.empty();
        }
    }

    /** A topic; empty if it isn't registered. */
    public Optional<TopicStatus> topic(String topic) {
        DelayMessage.checkTopic(topic);
        return asked(
                "To look at topic " + topic,
                () -> registry.isRegistered(topic) ? status(topic, directory.roster()) : Optional.empty());
    }

    private Optional<TopicStatus> status(String topic, Roster roster) {
        return registry.lookThrough(topic, shards -> status(topic, shards, roster));
    }

    private TopicStatus status(String topic, List<Shard> shards, Roster roster) {
        TopicCounts counts = TopicCounts.of(shards.stream().map(store::count).toList());
        List<String> consumers = roster.nodes().stream()
                .filter(node -> node.messages().contains(topic))
                .map(Member::name)
                .toList();
        List<String> watchers = shards.isEmpty() ? List.of() : roster.watchers(topic, shards.size());
        return new TopicStatus(
                topic,
                shards.size(),
                counts,
                consumers,
                watchers,
                roster.paused().contains(topic));
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
        Map<String, List<String>> watchers = new TreeMap<>();
        roster.nodes().stream()
                .flatMap(node -> node.watched().stream())
                .distinct()
                .forEach(topic -> registry.registeredShards(topic)
                        .ifPresent(shards -> watchers.put(topic, roster.watchers(topic, shards.size()))));
        return watchers;
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

    private static <T> T asked(String attempt, Supplier<T> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            throw DelayQueueException.after(attempt, e);
        }
    }
}
