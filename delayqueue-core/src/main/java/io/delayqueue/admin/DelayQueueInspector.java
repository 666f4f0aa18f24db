package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.coordination.KnownNodes;
import io.delayqueue.coordination.KnownNodes.Former;
import io.delayqueue.coordination.KnownNodes.Node;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.coordination.NodeReport;
import io.delayqueue.coordination.ThroughputReporter.Reports;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.Completions;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageSnapshot.OrderedKey;
import io.delayqueue.message.Names;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.Forecast;
import io.delayqueue.store.Listing.Place;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.script.ShardReader;
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
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * Reads the state of the queue: topics, nodes, messages. It never writes to Redis. Thread-safe.
 *
 * <p>Each method throws {@link io.delayqueue.template.DelayQueueUnavailableException} if Redis does not reply.
 */
public class DelayQueueInspector {

    /** Maximum number of messages or topics of a page. */
    public static final int MAX_PAGE = ShardReader.MAX_LISTED;

    /** Maximum number of buckets of an {@link Upcoming}. */
    public static final int MAX_BUCKETS = ShardReader.MAX_BUCKETS;

    /** Maximum span of an {@link Upcoming}, 1,000 years. */
    public static final Duration MAX_SPAN = Duration.ofDays(365_250);

    /** Maximum number of dead letters that are grouped. */
    public static final int MAX_GROUPED = 1_000_000;

    private static final int TOPICS_AT_ONCE = 200;

    private final ShardReader reader;
    private final TopicRegistry registry;
    private final MessageStore store;
    private final NodeDirectory directory;
    private final MessagePages pages;

    /** Creates the API of a store, a reader of its shards, and the registries of topics and nodes. */
    @Internal
    public DelayQueueInspector(
            MessageStore store, ShardReader reader, TopicRegistry registry, NodeDirectory directory) {
        this.store = store;
        this.reader = reader;
        this.registry = registry;
        this.directory = directory;
        this.pages = new MessagePages(reader);
    }

    /**
     * All registered topics by name, except those that this version cannot read. If a shard of a topic does not
     * reply, the topic has no counts but a problem. Needs one round trip for the registry, one for the nodes and one
     * for each shard. Many shards are read concurrently, so that all shards without a reply together cost one command
     * timeout.
     */
    public List<TopicStatus> topics() {
        return Await.result(topicsAsync());
    }

    /** The same without blocking. */
    CompletableFuture<List<TopicStatus>> topicsAsync() {
        return snapshot().thenApply(Snapshot::topics);
    }

    /**
     * A page of the registered topics by name, except those that this version cannot read. Needs one round trip for the
     * registry, one for the nodes and one for each shard of the topics of the page.
     *
     * @param count maximum number of topics, 1 to 500
     * @param after the value of {@link TopicPage#next()}; null for the first page
     * @throws IllegalArgumentException if the count is out of range
     */
    public TopicPage topics(int count, @Nullable String after) {
        return topics(count, after, topic -> true);
    }

    /** The same with the topics of some names only, as if there were no others. */
    @Internal
    public TopicPage topics(int count, @Nullable String after, Predicate<String> names) {
        Assert.notNull(names, "'names' must not be null");
        InvalidOptionException.requireRange("count", count, 1, MAX_PAGE);
        return Await.result(translating(
                "Reading topics",
                registry.topics()
                        // the zero character makes the least name after this one
                        .thenApply(topics -> after == null ? topics : topics.tailSet(after + '\0'))
                        .thenCompose(topics -> page(
                                topics.stream().filter(names).limit(count + 1L).toList(), count))));
    }

    /** The first topics of a list that has one more if another page follows. */
    private CompletableFuture<TopicPage> page(List<String> topics, int count) {
        List<String> names = topics.stream().limit(count).toList();
        String next = topics.size() > count ? names.get(count - 1) : null;
        return directory
                .readAsync()
                .thenCompose(read -> statuses(names, read))
                .thenApply(statuses -> new TopicPage(statuses, next));
    }

    /** All topics and all nodes, from one reading of the nodes. */
    CompletableFuture<Snapshot> snapshot() {
        return translating(
                "Reading all topics",
                registry.topics()
                        .thenCompose(topics -> directory
                                .readAsync()
                                .thenCompose(read ->
                                        statuses(List.copyOf(topics), read).thenCombine(nodes(read), Snapshot::new))));
    }

    /** The topics and nodes at one moment. */
    record Snapshot(List<TopicStatus> topics, Nodes nodes) {}

    /** What all processes sent and received within the last minute, and the holders of old leases. Does not block. */
    CompletableFuture<Reports> reports() {
        return translating("Reading the throughput", directory.reports());
    }

    private static <T> CompletableFuture<T> translating(String attempt, CompletableFuture<T> call) {
        return call.exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                Completions.cause(failure) instanceof RuntimeException e
                        ? DelayQueueException.translated(attempt, e)
                        : failure));
    }

    /** The status of those topics that exist. Does not block. */
    CompletableFuture<List<TopicStatus>> statuses(List<String> topics) {
        return directory.readAsync().thenCompose(read -> statuses(topics, read));
    }

    private CompletableFuture<List<TopicStatus>> statuses(List<String> topics, KnownNodes knownNodes) {
        return Completions.inBatches(topics, TOPICS_AT_ONCE, topic -> readableStatus(topic, knownNodes))
                .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
    }

    /**
     * Counts the shards of a topic. All are counted concurrently, so a server that does not respond delays only the
     * topics that it stores. Returns empty if the topic is not registered. Fails with the exception of the store or the
     * registry.
     */
    static CompletableFuture<Optional<List<ShardCounts>>> countShards(
            MessageStore store, TopicRegistry registry, String topic) {
        return registry.withShards(
                topic,
                shards -> Completions.all(shards.stream().map(store::count).toList()));
    }

    /** The same for all shards together; zero if the topic is not registered. */
    static CompletableFuture<TopicCounts> count(MessageStore store, TopicRegistry registry, String topic) {
        return countShards(store, registry, topic)
                .thenApply(shards -> TopicCounts.sum(shards.orElse(List.of()).stream()
                        .map(ShardCounts::counts)
                        .toList()));
    }

    /** The failure of one topic or of its server does not hide other topics. */
    private CompletableFuture<Optional<TopicStatus>> readableStatus(String topic, KnownNodes knownNodes) {
        return countShards(store, registry, topic)
                .thenApply(found -> found.map(shards -> status(topic, shards, null, knownNodes)))
                .exceptionally(failure -> {
                    Throwable cause = Completions.cause(failure);
                    if (cause instanceof RedisCallException) {
                        return Optional.of(status(topic, null, cause.getMessage(), knownNodes));
                    }
                    if (cause instanceof TopicConflictException conflict) {
                        registry.warnNotShown(topic, conflict);
                        return Optional.empty();
                    }
                    throw Completions.unchecked(cause);
                });
    }

    /**
     * Time for which the oldest due message of a topic has been waiting. Does not block.
     *
     * @return zero if the topic is not registered; fails if Redis does not reply or this version cannot read the
     *     topic
     */
    public CompletableFuture<Duration> lag(String topic) {
        Names.checkTopic(topic);
        return count(store, registry, topic).thenApply(TopicCounts::lag);
    }

    /** The status of a topic; empty if it is not registered. */
    public Optional<TopicStatus> topic(String topic) {
        Names.checkTopic(topic);
        return translating(
                "Reading topic " + Printable.of(topic),
                () -> Await.call(() -> registry.freshShards(topic)).isPresent()
                        ? status(topic, directory.read())
                        : Optional.empty());
    }

    /** The same, but a topic that could not be counted has no counts and a problem. */
    @Internal
    public Optional<TopicStatus> topicOrProblem(String topic) {
        Names.checkTopic(topic);
        return Await.result(translating(
                "Reading topic " + Printable.of(topic),
                directory.readAsync().thenCompose(read -> readableStatus(topic, read))));
    }

    private Optional<TopicStatus> status(String topic, KnownNodes knownNodes) {
        return Await.result(countShards(store, registry, topic)).map(shards -> status(topic, shards, null, knownNodes));
    }

    private TopicStatus status(
            String topic, @Nullable List<ShardCounts> counted, @Nullable String problem, KnownNodes knownNodes) {
        int shards = registry.lastShardCount(topic).orElse(1);
        List<String> consumers = knownNodes.nodes().stream()
                .filter(node -> node.messages().contains(topic))
                .map(Node::name)
                .toList();
        List<Pause> pauses = knownNodes.pauses(topic);
        List<TopicCounts> counts = counted == null
                ? List.of()
                : counted.stream().map(ShardCounts::counts).toList();
        return new TopicStatus(
                topic,
                shards,
                counted == null ? null : TopicCounts.sum(counts),
                consumers,
                knownNodes.assignedNodes(topic, shards),
                pauses.stream().anyMatch(Pause::isForAll),
                pauses,
                problem,
                counted == null ? null : LimitStatus.ofLimited(registry.lastLimits(topic), counted),
                counts.size() == 1 ? List.of() : counts);
    }

    /**
     * Reads live messages of all shards in the order of a view, with one round trip per shard. The clock of a shard's
     * server decides which messages are due. A message that does not change its place while pages are read is on
     * exactly one page; other messages may be on several pages or none. A message that this version cannot read has
     * all its bytes as payload and the reason as its last failure.
     *
     * @param count maximum number of messages, 1 to 500; fewer are returned if they are large
     * @param page the value of {@link MessagePage#next()}; null for the first page
     * @throws IllegalArgumentException if the count is out of range or the page does not belong to this view
     */
    public MessagePage messages(String topic, MessageView view, int count, @Nullable String page) {
        Assert.notNull(view, "'view' must not be null");
        Names.checkTopic(topic);
        InvalidOptionException.requireRange("count", count, 1, MAX_PAGE);
        Place after = page == null ? null : MessagePages.parse(view, page);
        return translating(
                "Reading messages of topic " + Printable.of(topic),
                () -> registry.awaitWithShards(topic, shards -> pages.read(shards, view, after, count))
                        .orElse(new MessagePage(List.of(), null)));
    }

    /**
     * Finds the live messages of an id in all topics, ordered by topic; topics that this version cannot read are left out.
     * Needs one round trip for the registry and one for each topic.
     *
     * @throws IllegalArgumentException if the id is invalid
     */
    public List<MessageSnapshot> find(String id) {
        Names.checkId(id);
        return Await.result(translating(
                        "Finding message " + Printable.of(id),
                        registry.topics()
                                .thenCompose(topics -> Completions.inBatches(
                                        List.copyOf(topics), TOPICS_AT_ONCE, topic -> find(topic, id)))))
                .stream()
                .flatMap(Optional::stream)
                .toList();
    }

    private CompletableFuture<Optional<MessageSnapshot>> find(String topic, String id) {
        return registry.withShard(topic, id, shard -> store.find(shard, id))
                .thenApply(found -> found.flatMap(Function.identity()))
                .exceptionally(failure -> {
                    if (Completions.cause(failure) instanceof TopicConflictException) {
                        return Optional.empty();
                    }
                    throw Completions.unchecked(failure);
                });
    }

    /**
     * Finds the keys of an ordered topic whose parked messages have been due for longest, and the head that each waits for.
     * One round trip looks at the first 1,000 parked messages.
     *
     * @return at most 20 keys, the slowest first; fewer are returned if their messages are large. Empty if no parked message
     *     is due, and for a topic that is not ordered
     */
    public List<OrderedKey> slowestKeys(String topic) {
        Names.checkTopic(topic);
        return translating(
                "Reading the slowest keys of topic " + Printable.of(topic),
                // an ordered topic has one shard
                () -> registry.awaitWithShards(topic, shards -> Await.call(() -> reader.slowestKeys(shards.get(0))))
                        .orElse(List.of()));
    }

    /**
     * Groups the youngest dead letters of a topic by kind, without their messages. One round trip reads up to 500 dead
     * letters of one shard.
     *
     * @param count maximum number of dead letters to read, 1 to 1,000,000
     * @throws IllegalArgumentException if the count is out of range
     */
    public DeadLetterGroups deadLetterGroups(String topic, int count) {
        Names.checkTopic(topic);
        InvalidOptionException.requireRange("count", count, 1, MAX_GROUPED);
        return translating(
                "Grouping dead letters of topic " + Printable.of(topic),
                () -> registry.awaitWithShards(
                                topic, shards -> DeadLetterGrouping.read(reader, shards, count, DeadLetterFilter.ALL))
                        .orElse(new DeadLetterGroups(List.of(), 0, true)));
    }

    /**
     * Counts messages by due time.
     *
     * @param span length of the time to count, from 1 ms per bucket to 1,000 years; rounded up to a multiple of whole
     *     milliseconds per bucket
     * @param buckets number of buckets, 1 to 120
     * @throws IllegalArgumentException if a value is out of range
     */
    public Upcoming upcoming(String topic, Duration span, int buckets) {
        Assert.notNull(span, "'span' must not be null");
        Names.checkTopic(topic);
        InvalidOptionException.requireRange("buckets", buckets, 1, MAX_BUCKETS);
        if (span.compareTo(Duration.ofMillis(buckets)) < 0 || span.compareTo(MAX_SPAN) > 0) {
            throw new IllegalArgumentException("'span' must be from "
                    + DurationText.of(Duration.ofMillis(buckets)) + " to " + DurationText.of(MAX_SPAN) + " for "
                    + buckets + " buckets, but was " + DurationText.of(span));
        }
        Duration width = Duration.ofMillis((span.toMillis() + buckets - 1) / buckets);
        return translating(
                "Counting upcoming messages of topic " + Printable.of(topic), () -> forecast(topic, width, buckets));
    }

    /**
     * Counts messages by due time until the last one is due.
     *
     * @param buckets number of buckets, 1 to 120
     * @throws IllegalArgumentException if the number is out of range
     */
    public Upcoming upcoming(String topic, int buckets) {
        Names.checkTopic(topic);
        InvalidOptionException.requireRange("buckets", buckets, 1, MAX_BUCKETS);
        return translating("Counting upcoming messages of topic " + Printable.of(topic), () -> {
            Instant latest = Await.result(count(store, registry, topic)).latestDue();
            return forecast(topic, Upcoming.widthUntil(latest, directory.read().now(), buckets), buckets);
        });
    }

    private Upcoming forecast(String topic, Duration width, int buckets) {
        List<Forecast> forecasts = Await.result(forecasts(topic, width, buckets));
        Instant from =
                forecasts.isEmpty() ? directory.read().now() : forecasts.get(0).now();
        return Upcoming.of(from, width, buckets, forecasts);
    }

    /** Counts the messages of a topic by due time; empty if it does not exist. Does not block. */
    CompletableFuture<Optional<Upcoming>> countUpcoming(String topic, Duration width, int buckets) {
        return forecasts(topic, width, buckets)
                .thenApply(found ->
                        found.stream().findFirst().map(first -> Upcoming.of(first.now(), width, buckets, found)));
    }

    /** The forecasts of the shards that exist. */
    private CompletableFuture<List<Forecast>> forecasts(String topic, Duration width, int buckets) {
        return registry.withShards(
                        topic,
                        shards -> Completions.all(shards.stream()
                                .map(shard -> reader.upcoming(shard, width, buckets))
                                .toList()))
                .thenApply(found -> found.orElse(List.of()).stream()
                        .flatMap(Optional::stream)
                        .toList());
    }

    /**
     * Counts the messages of some topics by due time. A topic that cannot be read counts as empty. Does not block.
     *
     * @param widthAt returns the width of a bucket at a time of Redis' clock
     */
    CompletableFuture<Upcoming> upcoming(List<String> topics, Function<Instant, Duration> widthAt, int buckets) {
        return translating(
                "Counting upcoming messages of all topics",
                directory.readAsync().thenCompose(read -> {
                    Duration width = widthAt.apply(read.now());
                    return Completions.inBatches(
                                    topics,
                                    TOPICS_AT_ONCE,
                                    topic -> forecasts(topic, width, buckets).exceptionally(failure -> List.of()))
                            .thenApply(found -> Upcoming.of(
                                    read.now(),
                                    width,
                                    buckets,
                                    found.stream().flatMap(List::stream).toList()));
                }));
    }

    /**
     * The live nodes, and those that were stopped or failed within the last hour. Needs one round trip, and one for each
     * topic that this process does not yet know.
     */
    public Nodes nodes() {
        return Await.result(nodesAsync());
    }

    /** The same without blocking. */
    @Internal
    public CompletableFuture<Nodes> nodesAsync() {
        return translating("Reading the nodes", directory.readAsync().thenCompose(this::nodes));
    }

    private CompletableFuture<Nodes> nodes(KnownNodes read) {
        List<String> topics = read.nodes().stream()
                .flatMap(node -> node.assignable().stream())
                .distinct()
                .toList();
        return Completions.all(topics.stream().map(this::registeredShards).toList())
                .thenApply(shards -> {
                    Map<String, List<String>> assignedNodes = new TreeMap<>();
                    for (int i = 0; i < topics.size(); i++) {
                        String topic = topics.get(i);
                        shards.get(i)
                                .ifPresent(found -> assignedNodes.put(topic, read.assignedNodes(topic, found.size())));
                    }
                    return new Nodes(
                            read.now(),
                            read.nodes().stream()
                                    .map(node -> status(node, assignedNodes))
                                    .toList(),
                            read.former().stream()
                                    .map(DelayQueueInspector::status)
                                    .toList());
                });
    }

    /** Also empty for a topic that this version cannot read, because its assigned nodes are unknown. */
    private CompletableFuture<Optional<List<Shard>>> registeredShards(String topic) {
        return registry.registeredShards(topic).exceptionally(failure -> {
            if (Completions.cause(failure) instanceof TopicConflictException) {
                return Optional.empty();
            }
            throw Completions.unchecked(failure);
        });
    }

    private static NodeStatus status(Node node, Map<String, List<String>> assignedNodes) {
        SortedSet<String> topics = new TreeSet<>(node.messages());
        topics.addAll(node.notifications());
        SortedMap<String, List<Integer>> assignedShards = new TreeMap<>();
        assignedNodes.forEach((topic, names) -> {
            List<Integer> shards = IntStream.range(0, names.size())
                    .filter(shard -> names.get(shard).equals(node.name()))
                    .boxed()
                    .toList();
            if (!shards.isEmpty()) {
                assignedShards.put(topic, shards);
            }
        });
        NodeReport report = node.report();
        return new NodeStatus(
                node.name(),
                report.host(),
                report.processId(),
                report.startedAt(),
                node.lastSeen(),
                List.copyOf(topics),
                assignedShards,
                report.listeners());
    }

    private static FormerNode status(Former node) {
        NodeReport report = node.report();
        return new FormerNode(
                node.name(),
                report.host(),
                report.processId(),
                report.startedAt(),
                node.lastSeen(),
                node.failed(),
                report.listeners().stream()
                        .map(ListenerStatus::topic)
                        .distinct()
                        .sorted()
                        .toList());
    }

    private static <T> T translating(String attempt, Supplier<T> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            throw DelayQueueException.translated(attempt, e);
        }
    }
}
