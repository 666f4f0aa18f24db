package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Durability;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.redis.server.ServerProbe;
import io.delayqueue.redis.server.ServerState;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.test.redis.topology.RedisClusterProcess;
import io.delayqueue.test.redis.topology.SlotMove;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Two masters, each with half the slots. */
@Timeout(60)
@Tag("long")
@Tag("core")
class ClusterTests {

    private static final LuaScript PING = OwnConnections.script("ping", "return {redis.call('PING')}");

    private static final Durability ONE_REPLICA = Durability.replicas(1, Duration.ofMillis(1));
    private static RedisClusterProcess cluster;

    private final KeySpace keys = new KeySpace("test");
    private final Shard onFirst = new Shard("orders", 0, 2, QueueKind.MESSAGES);
    private final Shard onSecond = new Shard("orders", 1, 2, QueueKind.MESSAGES);

    private RedisServerProcess first;
    private RedisServerProcess second;

    @BeforeAll
    static void startCluster() {
        cluster = RedisClusterProcess.builder()
                .masters(2)
                .replicasPerMaster(0)
                .nodeTimeout(Duration.ofMinutes(1))
                .start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void flush() {
        cluster.flush();
        first = cluster.masterOf(keys.of(onFirst).meta());
        second = cluster.masterOf(keys.of(onSecond).meta());
    }

    /** No replicas: the reply shows that the master of the slot ran the script and was asked for the confirmation. */
    @Test
    void scriptRunsAndIsConfirmedOnTheMasterOfItsSlot() throws Exception {
        try (OwnConnections own = connect()) {
            for (Shard shard : List.of(onFirst, onSecond, onFirst)) {
                ScriptCall call = new ScriptCall(
                        RedisScriptsTests.INCREMENT, keys.of(shard).meta());
                assertThat(run(own, call)).hasSize(1);
                List<Object> reply = run(own, call.durability(ONE_REPLICA));
                assertThat(reply.get(0)).isInstanceOf(Long.class);
                assertThat((RedisCallException) reply.get(1)).hasMessage("0 of 1 replicas confirmed it within 1 ms");
            }
            assertThat(List.of(first.command("DBSIZE"), second.command("DBSIZE")))
                    .containsExactly(1L, 1L);
        }
    }

    @Test
    void callsShareTheSearchForTheirMaster() throws Exception {
        ScriptCall call =
                new ScriptCall(RedisScriptsTests.INCREMENT, keys.of(onFirst).meta()).durability(ONE_REPLICA);
        try (OwnConnections own = connect()) {
            first.command("CONFIG", "RESETSTAT");
            List<CompletableFuture<List<Object>>> replies = IntStream.range(0, 50)
                    .mapToObj(i -> own.scripts().run(call))
                    .toList();

            CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            assertThat(evaluated(first)).as("one search, and scripts of groups").isLessThan(10);
        }
    }

    private static int evaluated(RedisServerProcess server) {
        String eval = server.info("commandstats").get("cmdstat_eval");
        return Integer.parseInt(eval.substring("calls=".length(), eval.indexOf(',')));
    }

    /** Only the first call finds out that the slots were moved. */
    @Test
    void confirmationIsAskedOfTheNewMasterOfMovedSlots() throws Exception {
        List<byte[]> moved = IntStream.range(0, 100)
                .mapToObj(i -> OwnConnections.bytes("{" + i + "}"))
                .filter(key -> cluster.masterOf(key) == first)
                .limit(8) // more than the attempts of the first call
                .toList();
        List<ScriptCall> calls = moved.stream()
                .map(key -> new ScriptCall(RedisScriptsTests.INCREMENT, key).durability(ONE_REPLICA))
                .toList();
        try (OwnConnections own = connect()) {
            calls.forEach(call -> assertThat(run(own, call)).startsWith(1L));
            moved.forEach(
                    key -> cluster.moveSlot(KeySpace.slot(key), first, second).finish());
            try {
                assertThat(run(own, calls.get(0))).startsWith(2L);
                first.command("CONFIG", "RESETSTAT");
                calls.stream()
                        .skip(1)
                        .forEach(call -> assertThat(run(own, call)).startsWith(2L));

                assertThat(first.info("commandstats")).doesNotContainKey("cmdstat_wait");
            } finally {
                moved.forEach(key ->
                        cluster.moveSlot(KeySpace.slot(key), second, first).finish());
            }
        }
    }

    /** The last key has left the old master, but the slot still belongs to it. */
    @Test
    void callDuringTheMoveOfASlotDidNotRunAndIsSentAgain() throws Exception {
        byte[] key = keys.of(onFirst).meta();
        ScriptCall call = new ScriptCall(RedisScriptsTests.INCREMENT, key).durability(ONE_REPLICA);
        try (OwnConnections own = connect()) {
            run(own, call);
            SlotMove move = cluster.moveSlot(KeySpace.slot(key), first, second);
            move.moveSomeKeys(1);
            try {
                assertThat(catchThrowableOfType(RedisCallException.class, () -> run(own, call))
                                .kind())
                        .isEqualTo(Kind.TRY_AGAIN);
            } finally {
                move.finish();
                cluster.moveSlot(KeySpace.slot(key), second, first).finish();
            }
        }
    }

    private static List<Object> run(OwnConnections own, ScriptCall call) {
        return Await.call(() -> own.scripts().run(call));
    }

    @Test
    void probeAsksTheMasterOfTheTopics() throws Exception {
        RedisServerProcess ofTopics = cluster.masterOf(keys.topics());
        ofTopics.command("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
        try (OwnConnections own = connect()) {
            ServerProbe probe = new ServerProbe(own.scripts(), keys, InstantSource.system(), System::nanoTime);
            assertThat(probe.probe().join().evictionPolicy()).isEqualTo("allkeys-random");
        }
    }

    @Test
    void probeAsksEachMaster() throws Exception {
        RedisServerProcess ofNodes = cluster.masterOf(keys.nodes());
        ofNodes.command("CONFIG", "SET", "maxmemory", "1gb");
        try (OwnConnections own = connect()) {
            ServerProbe probe = new ServerProbe(own.scripts(), keys, InstantSource.system(), System::nanoTime);
            assertThat(probe.probeAll().join())
                    .extracting(ServerState::server, ServerState::heartbeats, ServerState::maxMemory)
                    .containsExactlyInAnyOrderElementsOf(cluster.masters().stream()
                            .map(master -> tuple(
                                    "127.0.0.1:" + master.port(), master == ofNodes, master == ofNodes ? 1L << 30 : 0L))
                            .toList());
        } finally {
            ofNodes.command("CONFIG", "SET", "maxmemory", "0");
        }
    }

    @Test
    void signalsOfEachMasterAreHeard() throws Exception {
        Set<Long> heard = ConcurrentHashMap.newKeySet();
        try (OwnConnections own = connect();
                RedisSignals signals =
                        new RedisSignals(own.connections(), keys, "node", Duration.ofSeconds(1), System::nanoTime)) {
            signals.listen(onFirst, new HeadListener(heard));
            signals.start();
            await().until(() -> heard.contains(0L));

            String kind = new String(keys.of(onFirst).signal(), StandardCharsets.UTF_8);
            first.command("PUBLISH", keys.signalChannel(), "h " + kind + " 1");
            second.command("PUBLISH", keys.signalChannel(), "h " + kind + " 2");

            await().until(() -> heard.containsAll(Set.of(1L, 2L)));
        }
    }

    /**
     * Connected to both: in a JVM that has just started, that takes longer than the short timeout allows, as the first
     * of many attempts.
     */
    private OwnConnections connect() {
        RedisClusterConfiguration nodes = new RedisClusterConfiguration(cluster.addresses());
        OwnConnections own = OwnConnections.impatient(new LettuceConnectionFactory(nodes));
        for (Shard shard : List.of(onFirst, onSecond)) {
            await().ignoreExceptions()
                    .until(() -> !run(own, new ScriptCall(PING, keys.of(shard).meta()))
                            .isEmpty());
        }
        return own;
    }
}
