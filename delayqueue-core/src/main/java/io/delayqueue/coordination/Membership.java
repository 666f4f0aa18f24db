package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The membership of this node. Its task sends one heartbeat per interval, in one round trip. A heartbeat registers the
 * topics that the node consumes, reads the topics of the other nodes and the paused topics, and publishes a canary: a
 * signal that shows the node whether it still receives signals. Thread-safe.
 *
 * <p>Before the first heartbeat, and when heartbeats have failed for longer than the timeout, the node sweeps all
 * shards that it consumes.
 */
public final class Membership extends RedisTask {

    private static final Log log = LogFactory.getLog(Membership.class);
    private static final LuaScript HEARTBEAT = LuaScript.beside(Membership.class, "heartbeat");

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final String node;
    private final Duration interval;
    private final Duration timeout;
    private final Runnable onHeartbeat;
    private final LocalAssignments assignments;
    private final AssignmentLog assignmentLog;
    private final TopicPauses pauses = new TopicPauses();
    private volatile Members members = Members.UNKNOWN;
    private volatile long lastBeat;
    private volatile boolean beaten;
    private volatile boolean hastened;
    private @Nullable Long firstTry;
    private String version = "";
    private long canary;

    /**
     * Creates the membership of one node.
     *
     * @param node the node's name, which no other node ever has; letters and digits
     * @param interval time between heartbeats
     * @param timeout a node without a heartbeat for this time counts as dead
     * @param nanoTime monotonic clock in nanoseconds
     * @param onHeartbeat called after each successful heartbeat
     */
    public Membership(
            ScriptRunner scripts,
            KeySpace keySpace,
            String node,
            Duration interval,
            Duration timeout,
            LongSupplier nanoTime,
            Runnable onHeartbeat) {
        super(nanoTime);
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.node = node;
        this.interval = interval;
        this.timeout = timeout;
        this.onHeartbeat = onHeartbeat;
        this.assignments = new LocalAssignments(node, () -> members, this::isIsolated, this::hasten);
        this.assignmentLog = new AssignmentLog(node);
    }

    /**
     * Adds a consumer to those among which a shard is assigned.
     *
     * @param onChange called when the shard may have been assigned to this consumer, or when this consumer sweeps it
     *     and the first peer has joined, which can take surplus messages; must not block
     */
    public ShardAssignment join(Shard shard, Runnable onChange) {
        ShardAssignment assignment = assignments.take(shard, onChange);
        hasten();
        return assignment;
    }

    /** The topics that are paused on all nodes. */
    public TopicPauses pauses() {
        return pauses;
    }

    /**
     * Registers that this node consumes a shard: a listener runs for it, paused or not, or a receiver receives from it.
     *
     * @return ends the registration; to be run once
     */
    public Runnable addConsumer(Shard shard) {
        assignments.addConsumer(shard);
        hasten();
        return () -> {
            assignments.removeConsumer(shard);
            hasten();
        };
    }

    /** Sends the next heartbeat at once. */
    public void hasten() {
        hastened = true;
        wake();
    }

    @Override
    protected Duration roundTrip() {
        if (firstTry == null) {
            firstTry = nanoTime.getAsLong();
        }
        try {
            List<Object> reply = reply(this::beat);
            if (reply == null) {
                return UNTIL_REPLIED;
            }
            succeeded(reply);
        } catch (RuntimeException e) {
            if (!beaten && nanoTime.getAsLong() - firstTry > timeout.toNanos()) {
                pauses.assumeNone();
            }
            if (isStale()) {
                // the other nodes may be dead, so that this node sweeps their shards too
                assignments.notifyChanged();
                assignmentLog.isolated(assignments.shards());
            }
            throw e;
        }
        onHeartbeat.run();
        return hastened ? Duration.ZERO : interval; // a change came after this heartbeat was sent
    }

    private CompletableFuture<List<Object>> beat() {
        hastened = false;
        return scripts.run(
                HEARTBEAT,
                3,
                keySpace.nodes(),
                keySpace.nodeTopics(),
                keySpace.pausedTopics(),
                bytes(node),
                bytes(assignments.consumed()),
                bytes(Long.toString(timeout.toMillis())),
                bytes(version),
                bytes(keySpace.signalChannel()),
                bytes(Long.toString(++canary)));
    }

    private void succeeded(List<Object> reply) {
        boolean wasIsolated = isIsolated();
        lastBeat = nanoTime.getAsLong();
        beaten = true;
        String current = new String((byte[]) reply.get(0), UTF_8);
        if (!current.equals(version) || wasIsolated) {
            version = current;
            if (reply.size() > 1) {
                members = Members.read(reply);
                pauses.set(NodeDirectory.texts(reply.get(1)));
            }
            assignments.notifyChanged();
        }
        assignmentLog.connected(members, assignments.shards());
    }

    /**
     * Removes the node from the members, so that its shards are reassigned at once. To be called after the last
     * heartbeat. If Redis does not reply within {@code wait}, the other nodes remove this node after the node timeout.
     *
     * @param wait longest time to wait for the reply
     */
    public void leave(Duration wait) {
        if (!beaten) {
            return;
        }
        beaten = false;
        CompletableFuture<List<Object>> left = scripts.run(
                HEARTBEAT,
                3,
                keySpace.nodes(),
                keySpace.nodeTopics(),
                keySpace.pausedTopics(),
                bytes(node),
                bytes(""),
                bytes("-1"),
                bytes(version),
                bytes(keySpace.signalChannel()),
                bytes("0"));
        try {
            left.get(wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            log.debug("Node " + node + " could not be removed from the members; it times out there", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** Makes every consumer of this node poll once, assigned or not. */
    public void pollAll() {
        assignments.pollAll();
    }

    private boolean isIsolated() {
        return !beaten || isStale();
    }

    private boolean isStale() {
        return beaten && nanoTime.getAsLong() - lastBeat > timeout.toNanos();
    }
}
