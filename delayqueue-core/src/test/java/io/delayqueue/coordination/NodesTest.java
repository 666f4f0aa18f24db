package io.delayqueue.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.coordination.Membership.ShardAssignment;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.bench.ClientScripts;
import io.delayqueue.store.bench.ServerClock;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Base of tests with several nodes on one Redis. The tests run the tasks. */
@EmbeddedRedis
abstract class NodesTest {

    static final Duration INTERVAL = Duration.ofSeconds(5);
    static final Duration TIMEOUT = Duration.ofMinutes(10);
    static final Duration REPLY_TIMEOUT = Duration.ofMinutes(1);

    /** Scripts with the clock of Redis. */
    static ClientScripts realTimeScripts;

    final RedisServerProcess redis;
    final KeySpace keySpace = new KeySpace("dq");
    /** Scripts with {@link #clock}, unless {@link #blackOut}. */
    ScriptRunner scripts;

    ServerClock clock;
    boolean blackOut;
    /** The monotonic clock of all nodes. */
    long nanos;

    NodesTest(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeAll
    static void connect(RedisServerProcess redis) {
        realTimeScripts = new ClientScripts(redis.port());
    }

    @AfterAll
    static void disconnect() {
        realTimeScripts.close();
    }

    @BeforeEach
    void flush() {
        redis.flush();
        clock = new ServerClock(redis);
        scripts = unlessBlackedOut(clock.over(realTimeScripts));
    }

    private ScriptRunner unlessBlackedOut(ScriptRunner real) {
        return call -> {
            if (blackOut) {
                throw new IllegalStateException("Redis is unavailable");
            }
            return real.run(call);
        };
    }

    /** A node that joins some shards. */
    final class Node {

        final String name;
        final Membership membership;
        final List<ShardAssignment> assignments = new ArrayList<>();
        final AtomicInteger told = new AtomicInteger();

        Node(String name, List<Shard> shards) {
            this.name = name;
            this.membership = new Membership(
                    scripts, keySpace, name, INTERVAL, TIMEOUT, () -> nanos, () -> NodeReport.UNKNOWN, () -> {});
            shards.forEach(shard -> assignments.add(membership.join(shard, told::incrementAndGet)));
        }

        void beat() {
            assertThat(membership.run()).isEqualTo(INTERVAL);
        }

        long assigned() {
            return assignments.stream().filter(ShardAssignment::isAssigned).count();
        }

        boolean isListed() {
            return redis.command("HGET", "dq:{nodes}:topics", name) != null;
        }
    }

    static void assertEachIsAssignedOnce(Node... nodes) {
        for (int i = 0; i < nodes[0].assignments.size(); i++) {
            int assignedNodes = 0;
            for (Node node : nodes) {
                assignedNodes += node.assignments.get(i).isAssigned() ? 1 : 0;
            }
            assertThat(assignedNodes).as("assigned nodes of shard " + i).isEqualTo(1);
        }
    }
}
