package io.delayqueue.actuate.response;

import io.delayqueue.admin.NodeStatus;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.RunningHandler;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A live node.
 *
 * @param host the name of its host or pod; empty if it is unknown
 * @param lastSeen its last heartbeat, by Redis' clock
 * @param topics the topics that it consumes
 * @param assignedShards the indexes of the shards that it sweeps, by topic
 * @param listeners its listeners at the last heartbeat
 */
public record NodeDescriptor(
        String node,
        String host,
        long processId,
        Instant startedAt,
        Instant lastSeen,
        List<String> topics,
        SortedMap<String, List<Integer>> assignedShards,
        List<Listener> listeners) {

    /** Creates the descriptor of a node. */
    public static NodeDescriptor of(NodeStatus node) {
        return new NodeDescriptor(
                node.node(),
                node.host(),
                node.processId(),
                node.startedAt(),
                node.lastSeen(),
                node.topics(),
                node.assignedShards(),
                node.listeners().stream().map(Listener::of).toList());
    }

    /**
     * A listener of the node.
     *
     * @param kind {@code messages} or, for a dead-letter listener, {@code notifications}
     * @param state {@code running}, {@code unavailable}, {@code paused} or {@code stopped}
     * @param running the number of handlers that are running
     * @param concurrency the maximum number of handlers that may run
     * @param unavailable what is unavailable, if the state is {@code unavailable}
     * @param oldest the handler that has been running longest
     */
    public record Listener(
            String id,
            String topic,
            String kind,
            String state,
            int running,
            int concurrency,
            @Nullable Unavailable unavailable,
            @Nullable Handler oldest,
            AttemptsDescriptor attempts) {

        static Listener of(ListenerStatus listener) {
            RunningHandler oldest = listener.oldest();
            ListenerStatus.Unavailable unavailable = listener.unavailable();
            return new Listener(
                    listener.id(),
                    listener.topic(),
                    listener.kind().name().toLowerCase(Locale.ROOT),
                    listener.state().name().toLowerCase(Locale.ROOT),
                    listener.running(),
                    listener.concurrency(),
                    unavailable == null
                            ? null
                            : new Unavailable(
                                    unavailable.failure(), unavailable.time().toMillis()),
                    oldest == null
                            ? null
                            : new Handler(
                                    oldest.id(), oldest.attempt(), oldest.time().toMillis()),
                    AttemptsDescriptor.of(listener.attempts()));
        }
    }

    /** The last exception of an unavailable system, and the time since the first one. */
    public record Unavailable(String failure, long millis) {}

    /** A running handler, the id of its message, and the time since its start. */
    public record Handler(String id, int attempt, long millis) {}
}
