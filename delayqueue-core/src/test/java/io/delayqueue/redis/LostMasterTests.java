package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** One master of a cluster can't be reached, or not well, while the others can. */
@Timeout(60)
@Tag("long")
@Tag("core")
class LostMasterTests {

    private static final int SHARDS = 3;
    private static final Duration TIMEOUT = Duration.ofMillis(500);
    /** So long that a master on a busy machine replies in time. */
    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(2);

    private static RedisClusterProcess cluster;

    private final KeySpace keys = new KeySpace("test");
    private final List<byte[]> metas = IntStream.range(0, SHARDS)
            .mapToObj(index -> keys.of(new Shard("orders", index, SHARDS, QueueKind.MESSAGES))
                    .meta())
            .toList();
    private OwnConnections own;

    @BeforeAll
    static void startCluster() {
        cluster = RedisClusterProcess.builder()
                .proxied()
                .setting("cluster-require-full-coverage", "no")
                .start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @AfterEach
    void close() throws Exception {
        if (own != null) {
            own.close();
        }
        cluster.nodes().stream().filter(node -> !node.isRunning()).forEach(cluster::restart);
        cluster.awaitOk();
    }

    /** The first connection of a JVM can take longer than the timeout. */
    private void connect(Duration timeout) {
        own = OwnConnections.of(
                new LettuceConnectionFactory(new RedisClusterConfiguration(cluster.addresses())), timeout);
        metas.forEach(key -> await().ignoreExceptionsMatching(RedisCallException.class::isInstance)
                .until(() -> {
                    increment(key);
                    return true;
                }));
    }

    private void increment(byte[] key) {
        Await.call(() -> own.scripts().run(new ScriptCall(ScriptRunnerContract.INCREMENT, key)));
    }

    private long millisUntilReply(byte[] key, List<Kind> failures) {
        long begun = System.nanoTime();
        await().atMost(Duration.ofSeconds(40))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> {
                    try {
                        increment(key);
                        return true;
                    } catch (RedisCallException e) {
                        failures.add(e.kind());
                        return false;
                    }
                });
        return (System.nanoTime() - begun) / 1_000_000;
    }

    /** The route to a master is lost without an error; the other masters reply all the time. */
    @ParameterizedTest
    @EnumSource
    void connectionOnWhichOneMasterIsSilentIsGivenUp(Direction lost) throws Exception {
        connect(LONG_TIMEOUT);
        byte[] silent = metas.get(1);
        FaultProxy proxy = cluster.proxyOf(cluster.masterOf(silent));
        List<Kind> others = new ArrayList<>();

        List<Kind> failures = new CopyOnWriteArrayList<>();
        proxy.halfOpen(lost);
        CompletableFuture<Long> replied = CompletableFuture.supplyAsync(() -> millisUntilReply(silent, failures));
        while (!replied.isDone()) {
            for (byte[] other : List.of(metas.get(0), metas.get(2))) {
                try {
                    own.scripts()
                            .run(new ScriptCall(ScriptRunnerContract.INCREMENT, other))
                            .join();
                } catch (CompletionException e) {
                    others.add(((RedisCallException) e.getCause()).kind());
                }
            }
        }

        System.out.println("replied again " + replied.get() + " ms after " + lost + " was lost to one master");
        assertThat(others).isEmpty();
        assertThat(failures).filteredOn(Kind.UNKNOWN::equals).hasSize(2);
    }

    /** The replica itself reports when it has become the master. */
    @Test
    void newMasterIsFoundAsSoonAsThereIsOne() throws Exception {
        connect(TIMEOUT);
        byte[] key = metas.get(1);
        RedisServerProcess killed = cluster.masterOf(key);
        RedisServerProcess replica = cluster.replicasOf(killed).get(0);

        List<Kind> failures = new CopyOnWriteArrayList<>();
        cluster.kill(killed);
        CompletableFuture<Long> replied = CompletableFuture.supplyAsync(() -> millisUntilReply(key, failures));
        long begun = System.nanoTime();
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(30))
                .until(() -> "master".equals(replica.info("replication").get("role")));
        long replaced = (System.nanoTime() - begun) / 1_000_000;

        System.out.println("replaced after " + replaced + " ms, replied after " + replied.get() + " ms");
        assertThat(replied.get() - replaced).isLessThan(5 * TIMEOUT.toMillis());
    }
}
