package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The membership of this node. Its task sends one heartbeat per interval, in one round trip. A heartbeat registers the
 * topics that the node consumes and its report, reads the topics of the other nodes and the pauses, and publishes a canary: a
 * signal that shows the node whether it still receives signals. Thread-safe.
 *
 * <p>Before the first heartbeat, and when heartbeats have failed for longer than the timeout, the node sweeps all
 * shards that it consumes. If several consumers of this node join a shard, only the first one sweeps it.
 *
 * <p>The monitor of {@code assignments} guards the assignments and consumers of this node. Volatile fields are written
 * by the task and read by the pollers, which take no lock.
 */
public final class Membership extends RedisTask {

    private static final Log log = LogFactory.getLog(Membership.class);
    private static final LuaScript HEARTBEAT = LuaScript.beside(Membership.class, "heartbeat");

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final String node;
    private final Duration interval;
    private final Duration timeout;
    private final Supplier<NodeReport> report;
    private final Runnable onHeartbeat;
    private volatile Runnable onJobs = () -> {};
    private volatile Consumer<String> onStackRequest = listener -> {};
    private final Map<Shard, List<ShardAssignment>> assignments = new LinkedHashMap<>();
    private final Map<Shard, Integer> consumers = new HashMap<>();
    private final AssignmentLog assignmentLog;
    private final Pauses pauses;
    private final PeerReports peers = new PeerReports();
    private volatile NodesByTopic nodes = NodesByTopic.UNKNOWN;
    private volatile long lastHeartbeat;
    private volatile boolean registered;
    private volatile boolean heartbeatRequested;
    private @Nullable Long firstAttempt;
    private String version = "";

    /**
     * Creates the membership of one node.
     *
     * @param node the node's name, which no other node ever has; letters and digits
     * @param interval time between heartbeats
     * @param timeout heartbeat timeout: a node without a heartbeat for this time counts as failed
     * @param nanoTime monotonic clock in nanoseconds
     * @param report supplies what each heartbeat reports
     * @param onHeartbeat called after each successful heartbeat
     */
    public Membership(
            ScriptRunner scripts,
            KeySpace keySpace,
            String node,
            Duration interval,
            Duration timeout,
            LongSupplier nanoTime,
            Supplier<NodeReport> report,
            Runnable onHeartbeat) {
        super(nanoTime);
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.node = node;
        this.interval = interval;
        this.timeout = timeout;
        this.report = report;
        this.onHeartbeat = onHeartbeat;
        this.assignmentLog = new AssignmentLog(node);
        this.pauses = new Pauses(node);
    }

    /**
     * Adds a consumer to those among which a shard is assigned.
     *
     * @param onChange called when the shard may have been assigned to this consumer, or when this consumer sweeps it
     *     and the first peer on another node has joined, which can claim messages that this consumer leaves; must not
     *     block. A peer on this node polls when it joins, so it needs no such call
     */
    public ShardAssignment join(Shard shard, Runnable onChange) {
        ShardAssignment joined;
        synchronized (assignments) {
            List<ShardAssignment> ofShard = assignments.computeIfAbsent(shard, key -> new CopyOnWriteArrayList<>());
            joined = new ShardAssignment(shard, ofShard, onChange);
            ofShard.add(joined);
        }
        heartbeatNow();
        return joined;
    }

    /** The pauses of this node's listeners. */
    public Pauses pauses() {
        return pauses;
    }

    /** What the listeners of other nodes report. */
    public PeerReports peers() {
        return peers;
    }

    /**
     * Registers that this node consumes a shard: a listener runs for it, paused or not, or a receiver receives from it.
     *
     * @return ends the registration; run it once
     */
    public Runnable addConsumer(Shard shard) {
        countConsumer(shard, 1);
        return () -> countConsumer(shard, -1);
    }

    private void countConsumer(Shard shard, int change) {
        synchronized (assignments) {
            consumers.merge(shard, change, (before, more) -> before + more == 0 ? null : before + more);
        }
        heartbeatNow();
    }

    /**
     * Sets the listener that is called after a node joined, left or failed or a job was added, if there are jobs. It
     * must not block.
     */
    public void onJobs(Runnable listener) {
        onJobs = listener;
    }

    /** Sets the listener that is called with the id of a listener whose stack is requested. It must not block. */
    public void onStackRequest(Consumer<String> listener) {
        onStackRequest = listener;
    }

    /** Sends the next heartbeat at once. */
    public void heartbeatNow() {
        heartbeatRequested = true;
        wake();
    }

    @Override
    protected Duration roundTrip() {
        if (firstAttempt == null) {
            firstAttempt = nanoTime.getAsLong();
        }
        try {
            List<Object> reply = reply(this::sendHeartbeat);
            if (reply == null) {
                return UNTIL_WOKEN;
            }
            succeeded(reply);
        } catch (RuntimeException e) {
            if (!registered && nanoTime.getAsLong() - firstAttempt > timeout.toNanos()) {
                pauses.assumeNone();
            }
            if (isStale()) {
                // the other nodes may have failed, so this node sweeps their shards too
                notifyChanged();
                assignmentLog.isolated(shards());
            }
            throw e;
        }
        onHeartbeat.run();
        return heartbeatRequested ? Duration.ZERO : interval; // a change came after this heartbeat was sent
    }

    private CompletableFuture<List<Object>> sendHeartbeat() {
        heartbeatRequested = false;
        String consumed;
        synchronized (assignments) {
            consumed = ConsumedTopics.write(assignments.keySet(), consumers.keySet());
        }
        return send(consumed, timeout.toMillis(), true, peers.ask(), pauses.departed());
    }

    private CompletableFuture<List<Object>> send(
            String consumed, long timeoutMillis, boolean canary, String queues, Set<String> departed) {
        return scripts.run(new ScriptCall(
                        HEARTBEAT,
                        keySpace.nodes(),
                        keySpace.nodeTopics(),
                        keySpace.pauses(),
                        keySpace.nodeReports(),
                        keySpace.formerNodes(),
                        keySpace.jobs(),
                        keySpace.stackRequests())
                .add(node)
                .add(consumed)
                .add(timeoutMillis)
                .add(version)
                .add(keySpace.signalChannel())
                .add(canary ? "1" : "0")
                .add(report.get().write())
                .add(queues)
                .add(String.join("\n", departed)));
    }

    private void succeeded(List<Object> reply) {
        boolean wasIsolated = isIsolated();
        lastHeartbeat = nanoTime.getAsLong();
        registered = true;
        String current = new String((byte[]) reply.get(0), UTF_8);
        if (!current.equals(version) || wasIsolated) {
            version = current;
            if (reply.size() > 2) {
                nodes = NodesByTopic.read(reply);
                pauses.set(Pauses.read((List<?>) reply.get(1)), nodes.names());
                if ((Long) reply.get(2) > 0) {
                    onJobs.run();
                }
                String listener = new String((byte[]) reply.get(3), UTF_8);
                if (!listener.isEmpty()) {
                    onStackRequest.accept(listener);
                    heartbeatNow(); // reports it
                }
            }
            notifyChanged();
        }
        assignmentLog.connected(nodes, shards());
        peers.replied((List<?>) reply.get(reply.size() - 1));
    }

    private Set<Shard> shards() {
        synchronized (assignments) {
            return Set.copyOf(assignments.keySet());
        }
    }

    private List<ShardAssignment> allAssignments() {
        synchronized (assignments) {
            return assignments.values().stream().flatMap(List::stream).toList();
        }
    }

    private void notifyChanged() {
        allAssignments().forEach(ShardAssignment::notifyIfChanged);
    }

    /** Makes every consumer of this node poll once, assigned or not. */
    public void pollAll() {
        allAssignments().forEach(assignment -> assignment.onChange.run());
    }

    /**
     * Removes the node from the list of nodes, so that its shards are reassigned at once. Call it after the last heartbeat.
     * If Redis does not reply within {@code wait}, the other nodes remove this node after the heartbeat timeout.
     *
     * @param wait longest time to wait for the reply
     */
    public void leave(Duration wait) {
        if (!registered) {
            return;
        }
        registered = false;
        CompletableFuture<List<Object>> left = send("", -1, false, "", Set.of());
        try {
            left.get(wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            log.debug(
                    "Node " + node
                            + " could not be removed from the list of nodes; it is removed after the heartbeat timeout",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isIsolated() {
        return !registered || isStale();
    }

    private boolean isStale() {
        return registered && nanoTime.getAsLong() - lastHeartbeat > timeout.toNanos();
    }

    /**
     * Decides whether one consumer of a shard sweeps it. Thread-safe. No method waits for Redis, and only
     * {@link #leave()} takes a lock.
     *
     * <p>Correctness never depends on the assignment, because claims are atomic. The assignment only saves polls.
     */
    public final class ShardAssignment {

        private final Shard shard;
        /** The assignments of this node for the shard, in the order in which they joined. */
        private final List<ShardAssignment> ofShard;

        private final Runnable onChange;
        private volatile Role role = Role.UNKNOWN;
        private volatile boolean assigned;
        private volatile boolean hadPeers;

        private ShardAssignment(Shard shard, List<ShardAssignment> ofShard, Runnable onChange) {
            this.shard = shard;
            this.ofShard = ofShard;
            this.onChange = onChange;
        }

        /** Whether this consumer sweeps the shard. True if the other nodes are unknown. */
        public boolean isAssigned() {
            return ofShard.indexOf(this) == 0 && (isIsolated() || role().isAssigned);
        }

        /** Whether other consumers of the shard exist, in this process or another. */
        public boolean hasPeers() {
            return ofShard.size() > 1 || role().hasPeers;
        }

        /** Computes the role once for each reply to a heartbeat, because every poll reads it. */
        private Role role() {
            NodesByTopic now = nodes;
            Role known = role;
            if (known.nodes != now) {
                known = new Role(now, now.isAssigned(node, shard), now.count(NodesByTopic.Topic.of(shard)) > 1);
                role = known;
            }
            return known;
        }

        private void notifyIfChanged() {
            boolean now = isAssigned();
            boolean peers = hasPeers();
            if (now && (!assigned || (peers && !hadPeers))) {
                onChange.run();
            }
            assigned = now;
            hadPeers = peers;
        }

        /** Ends the participation of this consumer. The shard is reassigned at once. */
        public void leave() {
            synchronized (assignments) {
                ofShard.remove(this);
                if (ofShard.isEmpty()) {
                    assignments.remove(shard, ofShard);
                }
            }
            ofShard.stream().findFirst().ifPresent(ShardAssignment::notifyIfChanged);
            heartbeatNow();
        }
    }

    /** The role of this node for a shard, according to one reply to a heartbeat. */
    private record Role(NodesByTopic nodes, boolean isAssigned, boolean hasPeers) {

        static final Role UNKNOWN = new Role(NodesByTopic.UNKNOWN, true, false);
    }
}
