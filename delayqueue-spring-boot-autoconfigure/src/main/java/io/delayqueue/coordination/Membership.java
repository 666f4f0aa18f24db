package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.coordination.StepScheduler.StepHandle;
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
 * This node among the others. Its step is the node's heartbeat: one round trip an interval, which says which topics the
 * node consumes, hears what the others do and which topics are paused, and sends the canary by which the node knows
 * that it hears signals.
 * Thread-safe.
 *
 * <p>While heartbeats fail, and before the first one, the node watches everything it consumes.
 */
public final class Membership implements Step {

    private static final Log log = LogFactory.getLog(Membership.class);
    private static final LuaScript HEARTBEAT = LuaScript.beside(Membership.class, "heartbeat");

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final String node;
    private final Duration interval;
    private final Duration timeout;
    private final LongSupplier nanoTime;
    private final LocalSeats seats;
    private final WatchLog watchLog;
    private final TopicPauses pauses = new TopicPauses();
    private volatile Members members = Members.UNKNOWN;
    private volatile long lastBeat;
    private volatile boolean beaten;
    private volatile @Nullable StepHandle handle;
    private @Nullable Long firstTry;
    private String version = "";
    private long canary;

    /**
     * For one node.
     *
     * @param node unique among all nodes ever; letters and digits
     * @param interval between heartbeats
     * @param timeout after how long of silence a node counts as dead
     * @param nanoTime the monotonic clock
     */
    public Membership(
            ScriptRunner scripts,
            KeySpace keySpace,
            String node,
            Duration interval,
            Duration timeout,
            LongSupplier nanoTime) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.node = node;
        this.interval = interval;
        this.timeout = timeout;
        this.nanoTime = nanoTime;
        this.seats = new LocalSeats(node, () -> members, this::isInTheDark, this::hasten);
        this.watchLog = new WatchLog(node);
    }

    /** By which a join or leave hastens the next heartbeat. */
    public void attach(StepHandle stepHandle) {
        handle = stepHandle;
    }

    /**
     * Takes a place among a shard's consumers.
     *
     * @param onChange called when the shard may have been dealt to this place, or when it watches and others came, whom it
     *     can call; must not block
     */
    public Seat join(Shard shard, Runnable onChange) {
        Seat seat = seats.take(shard, onChange);
        hasten();
        return seat;
    }

    /** Which topics are paused on all nodes. */
    public TopicPauses pauses() {
        return pauses;
    }

    /**
     * Says of a shard that a listener of it runs here, whether it has a seat or is paused.
     *
     * @return to be run once, when it doesn't run any more
     */
    public Runnable attend(Shard shard) {
        seats.attend(shard);
        hasten();
        return () -> {
            seats.neglect(shard);
            hasten();
        };
    }

    /** Has the next heartbeat come at once. */
    public void hasten() {
        StepHandle current = handle;
        if (current != null) {
            current.wake();
        }
    }

    @Override
    public Duration step() {
        if (firstTry == null) {
            firstTry = nanoTime.getAsLong();
        }
        try {
            beat();
            return interval;
        } catch (RuntimeException e) {
            if (!beaten && nanoTime.getAsLong() - firstTry > timeout.toNanos()) {
                pauses.heardNothing();
            }
            if (isStale()) {
                // seats that slept on others' word watch again, as nobody knows what became of the others
                seats.tell();
                watchLog.inTheDark(seats.shards());
            }
            throw e;
        }
    }

    private void beat() {
        List<Object> reply = scripts.run(
                HEARTBEAT,
                3,
                keySpace.nodes(),
                keySpace.nodeTopics(),
                keySpace.pausedTopics(),
                bytes(node),
                bytes(seats.consumed()),
                bytes(Long.toString(timeout.toMillis())),
                bytes(version),
                bytes(keySpace.signalChannel()),
                bytes(Long.toString(++canary)));
        boolean wasInTheDark = isInTheDark();
        lastBeat = nanoTime.getAsLong();
        beaten = true;
        String current = new String((byte[]) reply.get(0), UTF_8);
        if (!current.equals(version) || wasInTheDark) {
            version = current;
            if (reply.size() > 1) {
                members = Members.read(reply);
                pauses.heard(NodeDirectory.texts(reply.get(1)));
            }
            seats.tell();
        }
        watchLog.heard(members, seats.shards());
    }

    /**
     * Takes the node off the list, so that its shards are dealt anew at once; to be called after its last step. If Redis
     * doesn't answer in time, the others will notice by its silence.
     */
    public void leave(Duration wait) {
        if (!beaten) {
            return;
        }
        beaten = false;
        CompletableFuture<List<Object>> left = scripts.runAsync(
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
            log.debug("The node could not say that it leaves", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** Has every consumer of this node look once, whoever watches. */
    public void lookAll() {
        seats.lookAll();
    }

    private boolean isInTheDark() {
        return !beaten || isStale();
    }

    private boolean isStale() {
        return beaten && nanoTime.getAsLong() - lastBeat > timeout.toNanos();
    }
}
