package io.delayqueue.admin;

import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.ShardReader;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the queue: topics, nodes, messages. It only reads, and leaves nothing in Redis. Thread-safe.
 *
 * <p>Each method throws {@link io.delayqueue.template.DelayQueueUnavailableException} when Redis doesn't answer.
 */
public final class DelayQueueInspector {

    /** The most messages of a page. */
    public static final int MAX_PAGE = 500;

    /** The most buckets of an {@link Upcoming}. */
    public static final int MAX_BUCKETS = 120;

    /** Over a store, what reads its shards, and what knows topics and nodes. */
    public DelayQueueInspector(MessageStore store, ShardReader reader, TopicRegistry registry, NodeDirectory nodes) {}

    /** All registered topics, by name. A round trip for the registry, one for the nodes and one for each shard. */
    public List<TopicStatus> topics() {
        return List.of();
    }

    /** A topic; empty if it isn't registered. */
    public Optional<TopicStatus> topic(String topic) {
        return Optional.empty();
    }

    /**
     * Reads live messages in the order of a view. Whatever stays where it is while pages are read is on exactly one of
     * them; what moves meanwhile may be on two or none.
     *
     * @param count at most so many, 1 to 500; fewer when they are large
     * @param page as {@link MessagePage#next()} gave it, or null for the first
     * @throws IllegalArgumentException if the count is out of range or the page is none of this view
     */
    public MessagePage messages(String topic, MessageView view, int count, @Nullable String page) {
        return new MessagePage(List.of(), null);
    }

    /**
     * Counts messages by when they will be due.
     *
     * @param span how far to look ahead; the buckets together are at least as wide
     * @param buckets 1 to 120
     * @throws IllegalArgumentException if a value is out of range
     */
    public Upcoming upcoming(String topic, Duration span, int buckets) {
        return new Upcoming(Instant.EPOCH, span.dividedBy(buckets), 0, Collections.nCopies(buckets, 0L), 0);
    }

    /** The nodes that live, by name. */
    public List<NodeStatus> nodes() {
        return List.of();
    }
}
