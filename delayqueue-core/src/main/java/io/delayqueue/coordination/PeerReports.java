package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.message.QueueKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What running listeners on other nodes report, for the few queues of which this node needs it. Each heartbeat reads the
 * reports of these queues; one without such queues reads none. Thread-safe.
 */
public final class PeerReports {

    /** Queues of which one heartbeat reads the reports. */
    private static final int MAX_QUEUES = 50;

    /** The watchers by queue, oldest first. */
    private final Map<String, List<Consumer<List<Peer>>>> watchers = new LinkedHashMap<>();
    /** The queues of which the last heartbeat reads the reports; used by the heartbeat task only. */
    private List<String> asked = List.of();

    PeerReports() {}

    /**
     * A running listener on another node.
     *
     * @param listener its status with the last heartbeat of its node; the id is empty
     * @param age time since that heartbeat
     */
    public record Peer(ListenerStatus listener, Duration age) {}

    /**
     * Watches the listeners of a queue, from the next heartbeat on.
     *
     * @param watcher receives the running listeners on other nodes after each heartbeat; must not block
     * @return ends the watch
     */
    public Runnable watch(String topic, QueueKind kind, Consumer<List<Peer>> watcher) {
        String queue = NodeReport.queue(topic, kind);
        synchronized (watchers) {
            watchers.computeIfAbsent(queue, key -> new ArrayList<>()).add(watcher);
        }
        return () -> {
            synchronized (watchers) {
                watchers.computeIfPresent(queue, (key, of) -> {
                    of.remove(watcher);
                    return of.isEmpty() ? null : of;
                });
            }
        };
    }

    /** The queues of which a heartbeat reads the reports, one per line. */
    String ask() {
        synchronized (watchers) {
            asked = watchers.keySet().stream().limit(MAX_QUEUES).toList();
        }
        return String.join("\n", asked);
    }

    /** Passes on the reply to the last heartbeat: age of the report, line of a listener, age, line and so on. */
    void replied(List<?> reply) {
        Map<String, List<Peer>> peers = new HashMap<>();
        asked.forEach(queue -> peers.put(queue, new ArrayList<>()));
        for (int i = 0; i + 1 < reply.size(); i += 2) {
            String line = new String((byte[]) reply.get(i + 1), UTF_8);
            try {
                ListenerStatus listener = NodeReport.readListener(line);
                peers.computeIfAbsent(NodeReport.queue(listener.topic(), listener.kind()), key -> new ArrayList<>())
                        .add(new Peer(listener, Duration.ofMillis((Long) reply.get(i))));
            } catch (IllegalArgumentException e) {
                // of another version: this node does without it
            }
        }
        peers.forEach((queue, of) -> watchersOf(queue).forEach(watcher -> watcher.accept(List.copyOf(of))));
    }

    private List<Consumer<List<Peer>>> watchersOf(String queue) {
        synchronized (watchers) {
            return List.copyOf(watchers.getOrDefault(queue, List.of()));
        }
    }
}
