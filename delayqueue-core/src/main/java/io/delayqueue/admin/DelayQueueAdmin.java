package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.coordination.HandlerStack;
import io.delayqueue.coordination.KnownNodes.Node;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.Pause;
import io.delayqueue.message.Completions;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Due;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Names;
import io.delayqueue.message.Printable;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.Await;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.Purge;
import io.delayqueue.store.script.RegisteredLimits;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicLimiter;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.SendLimits;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * Operates the queue: counts messages; reads, replays and purges dead letters; limits, pauses and deletes topics.
 * Thread-safe.
 *
 * <p>Each method throws {@link io.delayqueue.template.DelayQueueUnavailableException} if Redis does not reply; the
 * call can then be repeated. A topic that was never used counts as empty; except for {@link #pause} and {@link #limit},
 * no method creates anything in Redis for it. {@link DelayQueueJobs} acts on many messages or dead letters.
 */
public class DelayQueueAdmin {

    /** Maximum number of dead letters of a page. */
    public static final int MAX_PAGE = PollRequest.MAX_BATCH;

    private final MessageStore store;
    private final TopicRegistry topics;
    private final EventBus events;
    private final SendLimits limits;
    private final InstantSource clock;
    private final TopicDeletion deletion;
    private final NodeDirectory nodes;
    private final TopicLimiter limiter;
    private final DeadLetterPages pages;

    /**
     * Creates the API of a store.
     *
     * @param limits contain the maximum delay of a replay
     * @param clock compares due dates of replays with the maximum delay
     * @param deletion deletes topics
     * @param nodes pauses topics
     * @param limiter limits topics
     */
    @Internal
    public DelayQueueAdmin(
            MessageStore store,
            TopicRegistry topics,
            EventBus events,
            SendLimits limits,
            InstantSource clock,
            TopicDeletion deletion,
            NodeDirectory nodes,
            TopicLimiter limiter) {
        this.store = store;
        this.topics = topics;
        this.events = events;
        this.limits = limits;
        this.clock = clock;
        this.deletion = deletion;
        this.nodes = nodes;
        this.limiter = limiter;
        this.pages = new DeadLetterPages(store);
    }

    /**
     * Counts a topic's messages.
     *
     * @throws IllegalArgumentException if the topic is not a valid name, as in all methods
     */
    public TopicCounts counts(String topic) {
        return translating(
                "Counting topic " + Printable.of(topic),
                topic,
                () -> Await.result(DelayQueueInspector.count(store, topics, topic)));
    }

    /**
     * Reads the youngest dead letters of a topic, with one or two round trips per shard.
     *
     * @param count maximum number of dead letters, 1 to 500; fewer are returned if they are large
     * @throws IllegalArgumentException if the count is out of range
     */
    public DeadLetterPage deadLetters(String topic, int count) {
        return deadLetters(topic, count, null);
    }

    /**
     * Reads a page of a topic's dead letters, youngest first.
     *
     * @param count maximum number of dead letters, 1 to 500; fewer are returned if they are large
     * @param page the value of {@link DeadLetterPage#next()}; null for the first page
     * @throws IllegalArgumentException if the count is out of range or the page is invalid
     */
    public DeadLetterPage deadLetters(String topic, int count, @Nullable String page) {
        Assert.notNull(topic, "'topic' must not be null");
        InvalidOptionException.requireRange("count", count, 1, MAX_PAGE);
        DeadLetterCursor cursor = page == null ? DeadLetterCursor.from(null) : DeadLetterCursor.parse(page);
        return translating(
                "Reading dead letters of topic " + Printable.of(topic),
                topic,
                () -> topics.awaitWithShards(topic, shards -> pages.read(shards, cursor, count))
                        .orElse(new DeadLetterPage(List.of(), null)));
    }

    /** Reads one dead letter; empty if it does not exist. */
    public Optional<DeadLetter> deadLetter(String topic, String deadLetterId) {
        return inShardOf(
                        topic,
                        deadLetterId,
                        "Reading",
                        shard -> store.deadLetters(shard, new DeadLetterQuery.One(deadLetterId))
                                .thenApply(deadLetters -> deadLetters.stream().findFirst()))
                .flatMap(Function.identity());
    }

    /** Replays a dead letter: its message is scheduled again, due at once, and its attempts start from zero. */
    public ReplayOutcome replay(String topic, String deadLetterId) {
        return replay(topic, deadLetterId, Due.NOW);
    }

    /**
     * Replays a dead letter with a delay. The attempts of its message start from zero.
     *
     * @param delay zero or more, at most {@code delayqueue.limits.max-delay} (10 years by default)
     * @throws IllegalArgumentException if the delay is out of range; the dead letter stays
     */
    public ReplayOutcome replay(String topic, String deadLetterId, Duration delay) {
        return replay(topic, deadLetterId, Due.after(delay));
    }

    /**
     * Replays a dead letter with a due date. The attempts of its message start from zero.
     *
     * @param dueAt between 2000 and 9999, at most {@code delayqueue.limits.max-delay} (10 years by default) ahead
     * @throws IllegalArgumentException if the date is out of range; the dead letter stays
     */
    public ReplayOutcome replay(String topic, String deadLetterId, Instant dueAt) {
        return replay(topic, deadLetterId, Due.at(dueAt));
    }

    private ReplayOutcome replay(String topic, String deadLetterId, Due due) {
        check(due);
        return inShardOf(topic, deadLetterId, "Replaying", shard -> store.replay(shard, List.of(deadLetterId), due))
                .map(outcomes -> publishReplay(topic, deadLetterId, outcomes.get(0)))
                .orElse(ReplayOutcome.NOT_FOUND);
    }

    private ReplayOutcome publishReplay(String topic, String deadLetterId, ReplayOutcome outcome) {
        if (outcome == ReplayOutcome.REPLAYED) {
            events.publish(listener -> listener.replayed(topic, deadLetterId));
        }
        return outcome;
    }

    private void check(Due due) {
        String objection = limits.objectionTo(due, clock);
        if (objection != null) {
            throw new IllegalArgumentException("The replay is rejected: " + objection);
        }
    }

    /**
     * Removes a dead letter permanently.
     *
     * @return whether it existed
     */
    public boolean purge(String topic, String deadLetterId) {
        return inShardOf(
                                topic,
                                deadLetterId,
                                "Purging",
                                shard -> store.purge(shard, new Purge.Named(List.of(deadLetterId))))
                        .orElse(0)
                > 0;
    }

    /**
     * Marks the present dead letters of a topic as reviewed. They stay, but are no longer a finding of the endpoint, the
     * dashboard and the health indicator. Dead letters that are added later are a finding.
     */
    public void markReviewed(String topic) {
        translating(
                "Marking the dead letters of topic " + Printable.of(topic) + " as reviewed",
                topic,
                () -> Await.result(topics.withShards(
                                topic,
                                shards -> Completions.all(
                                        shards.stream().map(store::markReviewed).toList())))
                        .isPresent());
    }

    /**
     * Deletes an empty topic: its keys in Redis, its pauses and its registration. The next send, or the next poll of a
     * running listener, creates it again. No message is lost: a message that is sent concurrently prevents the
     * deletion or is stored in the new topic.
     *
     * @return false if the topic is not registered; its pauses are deleted nevertheless
     * @throws IllegalStateException if the topic has scheduled or leased messages or dead letters; it stays unchanged
     */
    public boolean deleteTopic(String topic) {
        return translating("Deleting topic " + Printable.of(topic), topic, () -> {
            boolean deleted = deletion.delete(topic);
            List<Pause> pauses = nodes.read().pauses(topic); // an earlier call may have deleted the topic only
            if (!pauses.isEmpty()) {
                nodes.resume(pauses);
            }
            return deleted;
        });
    }

    /**
     * Pauses all listeners of a topic on all nodes until {@link #resumeTopic}, including nodes that start later, and
     * even if the topic does not yet exist. The same as {@link #pause} without listener, node and user.
     *
     * @throws IllegalStateException if there are 5,000 other pauses
     */
    public void pauseTopic(String topic) {
        pause(topic, null, null, "");
    }

    /** Ends the pause of a topic by {@link #pauseTopic}. Other pauses of its listeners remain. */
    public void resumeTopic(String topic) {
        resume(topic, null, null);
    }

    /**
     * Pauses listeners of a topic. They take no more deliveries and release those that have not started; running
     * handlers continue, and so do sends and receives. Nodes receive the pause by a signal, or by their next heartbeat.
     *
     * <p>The pause is kept in Redis until {@link #resume} or {@link #deleteTopic}; that of a node also ends with the
     * record of the node, an hour after the node left or failed. Pauses are independent of one another: a listener takes
     * deliveries when no pause includes it.
     *
     * @param listener id of the listener, for messages or dead letters; null for all listeners of the topic
     * @param node name of the node, as in {@link NodeStatus#node()}; null for all nodes, including nodes that start
     *     later
     * @param by name of the user, which the pause shows; empty if unknown. A name of more than {@value
     *     Pause#MAX_BY} characters is cut
     * @return false if there is this pause already; it keeps its user and time
     * @throws NoSuchElementException if no live node has this name, or none of these nodes has started the listener
     * @throws IllegalStateException if there are 5,000 other pauses
     */
    public boolean pause(String topic, @Nullable String listener, @Nullable String node, String by) {
        Assert.notNull(by, "'by' must not be null");
        return translating("Pausing topic " + Printable.of(topic), topic, () -> {
            if (listener != null || node != null) {
                requireKnown(topic, listener, node);
            }
            return nodes.pause(topic, listener, node, by);
        });
    }

    /**
     * Reads the stack of the oldest handler of a listener on a node, or requests it if the node does not report it yet.
     *
     * @return null if it was requested: call again
     * @throws IllegalArgumentException if there is no such node
     */
    @Internal
    public @Nullable HandlerStack stack(String node, String listener) {
        Assert.notNull(node, "'node' must not be null");
        Assert.notNull(listener, "'listener' must not be null");
        HandlerStack reported;
        boolean known;
        try {
            reported = nodes.read().nodes().stream()
                    .filter(each -> each.name().equals(node))
                    .flatMap(each -> Stream.ofNullable(each.report().stack()))
                    .filter(stack -> stack.listener().equals(listener))
                    .findFirst()
                    .orElse(null);
            known = reported != null || nodes.requestStack(node, listener);
        } catch (RuntimeException e) {
            throw DelayQueueException.translated("Reading a stack of node " + Printable.of(node), e);
        }
        if (!known) {
            throw new IllegalArgumentException("There is no live node '" + Printable.of(node) + "'.");
        }
        return reported;
    }

    private void requireKnown(String topic, @Nullable String listener, @Nullable String node) {
        List<Node> live = nodes.read().nodes().stream()
                .filter(each -> node == null || each.name().equals(node))
                .toList();
        if (node != null && live.isEmpty()) {
            throw new NoSuchElementException("There is no live node '" + Printable.of(node) + "'.");
        }
        if (listener != null && live.stream().noneMatch(each -> each.report().mayInclude(topic, listener))) {
            throw new NoSuchElementException(
                    (node == null ? "No live node has" : "Node '" + Printable.of(node) + "' has not")
                            + " started a listener '" + Printable.of(listener) + "' of topic '" + Printable.of(topic)
                            + "'.");
        }
    }

    /**
     * Ends one pause, that of exactly this listener and node. Other pauses that include the listener remain.
     *
     * @param listener id of the listener; null for the pause of all listeners
     * @param node name of the node; null for the pause on all nodes
     * @return false if there is no such pause
     */
    public boolean resume(String topic, @Nullable String listener, @Nullable String node) {
        return translating("Resuming topic " + Printable.of(topic), topic, () -> nodes.resume(topic, listener, node));
    }

    /**
     * Requests the release of the leases that an HTTP client, or the application of a node, got before now: their messages
     * are due as before, and the attempts do not count. Each process that gave such leases reads the request within ten
     * seconds.
     *
     * @param client name of the HTTP client; null for an application that received itself
     * @param node name of the application's node; null for a client
     * @param topic the topic; null for all
     * @throws IllegalArgumentException unless either a client or a node is given
     * @throws NoSuchElementException if no process reports that it holds leases for 30 s or longer
     */
    @Internal
    public void releaseLeases(@Nullable String client, @Nullable String node, @Nullable String topic) {
        if ((client == null) == (node == null)) {
            throw new IllegalArgumentException("A release of leases requires either a client or a node.");
        }
        String who = client != null
                ? "HTTP client '" + Printable.of(client) + "'"
                : "the application on node '" + Printable.of(String.valueOf(node)) + "'";
        try {
            if (Await.call(nodes::reports).holders().stream()
                    .noneMatch(each -> Objects.equals(each.client(), client)
                            && Objects.equals(each.node(), node)
                            && (topic == null || topic.equals(each.topic())))) {
                throw new NoSuchElementException("No process reports that " + who + " holds leases"
                        + (topic == null ? "" : " of topic '" + Printable.of(topic) + "'") + " for 30 s or longer.");
            }
            nodes.requestRelease(client, node, topic);
        } catch (NoSuchElementException e) {
            throw e;
        } catch (RuntimeException e) {
            throw DelayQueueException.translated("Releasing the leases of " + who, e);
        }
    }

    /** Reads the limits of a topic, and what they hold back now. */
    public LimitStatus limits(String topic) {
        return translating("Reading the limits of topic " + Printable.of(topic), topic, () -> {
            RegisteredLimits registered = Await.result(limiter.read(topic)).orElse(RegisteredLimits.NONE);
            return LimitStatus.of(
                    registered,
                    Await.result(DelayQueueInspector.countShards(store, topics, topic))
                            .orElse(List.of()));
        });
    }

    /**
     * Sets the limits of a topic, even if it does not yet exist. They take precedence over the limits that properties
     * declare, until {@link #clearLimits}; {@link TopicLimits#NONE} lifts those. No delivery that has started is
     * interrupted. If the call fails, the new limits may be registered and not yet applied; repeat it then.
     *
     * @throws IllegalStateException if the topic has several shards, or if there is a per-key limit and the topic is not
     *     fair; it stays unchanged
     */
    public void limit(String topic, TopicLimits limits) {
        Assert.notNull(limits, "'limits' must not be null");
        limiting("Limiting", topic, () -> limiter.set(topic, limits));
    }

    /**
     * Removes the limits that {@link #limit} set. Limits that properties declare take effect again. If the call fails,
     * repeat it.
     */
    public void clearLimits(String topic) {
        limiting("Clearing the limits of", topic, () -> limiter.clear(topic));
    }

    /**
     * Removes the limits that properties declared, after the properties were removed. A node whose properties still
     * declare limits declares them again within a minute. If the call fails, repeat it.
     */
    public void clearDeclaredLimits(String topic) {
        limiting("Clearing the declared limits of", topic, () -> limiter.clearDeclared(topic));
    }

    /**
     * Lifts the hold of a topic that a message asked for.
     *
     * @return whether there was a hold, even if its time is over
     */
    public boolean liftHold(String topic) {
        return translating(
                "Lifting the hold of topic " + Printable.of(topic), topic, () -> Await.result(limiter.liftHold(topic)));
    }

    private static void limiting(String verb, String topic, Supplier<CompletableFuture<Void>> change) {
        translating(verb + " topic " + Printable.of(topic), topic, () -> {
            Await.call(change);
            return true;
        });
    }

    /**
     * The id of a dead letter is the id of its message, {@code @} and a suffix. An id of another form does not exist.
     */
    private <T> Optional<T> inShardOf(
            String topic, String deadLetterId, String verb, Function<Shard, CompletableFuture<T>> call) {
        Names.checkTopic(topic);
        Assert.notNull(deadLetterId, "'deadLetterId' must not be null");
        int end = deadLetterId.lastIndexOf('@');
        if (end < 1) {
            return Optional.empty();
        }
        String messageId = deadLetterId.substring(0, end);
        return translating(
                verb + " dead letter " + Printable.of(deadLetterId) + " of topic " + Printable.of(topic),
                topic,
                () -> Await.call(() -> topics.withShard(topic, messageId, call)));
    }

    private static <T> T translating(String attempt, String topic, Supplier<T> call) {
        return translating(() -> attempt, topic, call);
    }

    private static <T> T translating(Supplier<String> attempt, String topic, Supplier<T> call) {
        Names.checkTopic(topic);
        try {
            return call.get();
        } catch (RuntimeException e) {
            throw DelayQueueException.translated(attempt.get(), e);
        }
    }
}
