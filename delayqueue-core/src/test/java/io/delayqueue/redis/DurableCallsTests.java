package io.delayqueue.redis;

import static io.delayqueue.redis.OwnConnections.script;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Durability;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisRequest;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls whose writes a replica must confirm: a master behind a proxy, and one replica. */
@Timeout(60)
class DurableCallsTests {

    static final Durability ONE_REPLICA = Durability.replicas(1, Duration.ofSeconds(20));
    private static final Durability ONE_REPLICA_SOON = Durability.replicas(1, Duration.ofMillis(100));
    private static final LuaScript READ = script("read", "return {redis.call('GET', KEYS[1])}");
    static final byte[] KEY = RedisScriptsTests.KEY;

    static RedisServerProcess master;
    static RedisServerProcess replica;

    FaultProxy network;
    OwnConnections own;

    @BeforeAll
    static void startServers() {
        master = RedisServerProcess.builder()
                .setting("repl-diskless-sync-delay", "0")
                .start();
        replica = RedisServerProcess.builder()
                .setting("replicaof", master.host(), Integer.toString(master.port()))
                .start();
    }

    @AfterAll
    static void stopServers() {
        replica.close();
        master.close();
    }

    @BeforeEach
    void connect() {
        master.flush();
        master.command("CONFIG", "RESETSTAT");
        await().until(() -> master.info("replication").toString().contains("state=online"));
        network = FaultProxy.inFrontOf(master);
        own = OwnConnections.lettuce(network.port());
    }

    @AfterEach
    void close() throws Exception {
        own.close();
        network.close();
        replica.resume();
        master.command("REPLICAOF", "NO", "ONE");
        master.command("CONFIG", "SET", "maxmemory", "0");
        master.command("CONFIG", "SET", "appendonly", "no");
    }

    static ScriptCall increment(Durability durability) {
        return new ScriptCall(RedisScriptsTests.INCREMENT, KEY).durability(durability);
    }

    /** Whether this is Redis 7.2 or newer, or Valkey. */
    static boolean hasWaitAof(RedisServerProcess server) {
        return server.command("COMMAND", "INFO", "WAITAOF") instanceof List<?> info
                && info.get(0) instanceof List<?> known
                && !known.isEmpty();
    }

    List<Object> run(ScriptCall call) {
        return Await.call(() -> own.scripts().run(call));
    }

    static RedisCallException unconfirmed(List<Object> reply) {
        return (RedisCallException) reply.get(reply.size() - 1);
    }

    @Test
    void confirmedWriteIsOnTheReplica() {
        for (long i = 1; i <= 10; i++) {
            assertThat(run(increment(ONE_REPLICA))).containsExactly(i, null);

            assertThat(replica.command("GET", new String(KEY, UTF_8))).isEqualTo(Long.toString(i));
        }
        assertThat(master.command("KEYS", "*")).isEqualTo(List.of(new String(KEY, UTF_8)));
    }

    @Test
    void missingConfirmationIsReportedWithTheReply() {
        replica.pause();

        List<Object> reply = run(increment(ONE_REPLICA_SOON));

        assertThat(reply.get(0)).isEqualTo(1L);
        assertThat(unconfirmed(reply).kind()).isEqualTo(Kind.NOT_CONFIRMED);
        assertThat(unconfirmed(reply)).hasMessage("0 of 1 replicas confirmed it within 100 ms");
        replica.resume();
        assertThat(run(increment(ONE_REPLICA))).containsExactly(2L, null);
    }

    /** Servers before Redis 7.2 need no write of the group for this. */
    @Test
    void scriptThatWritesNothingIsConfirmedWithTheWritesBeforeIt() throws Exception {
        run(increment(Durability.NONE));
        await().until(() -> "1".equals(replica.command("GET", new String(KEY, UTF_8))));
        replica.pause();
        run(increment(Durability.NONE));
        own.close();
        own = OwnConnections.lettuce(network.port());

        assertThat(unconfirmed(run(new ScriptCall(READ, KEY).durability(ONE_REPLICA_SOON))))
                .isNotNull();

        replica.resume();
        assertThat(unconfirmed(run(new ScriptCall(READ, KEY).durability(ONE_REPLICA))))
                .isNull();
        assertThat(replica.command("GET", new String(KEY, UTF_8))).isEqualTo("2");
    }

    @Test
    void lostReplyLeavesTheOutcomeUnknown() {
        // WAIT ends its pipeline: no request of the first connection is left that the second cut could match
        for (String command : List.of("WAIT", "EVALSHA")) {
            run(increment(ONE_REPLICA));
            network.cutNextReply(request -> isNamed(request, command));

            RedisCallException lost = catchThrowableOfType(RedisCallException.class, () -> run(increment(ONE_REPLICA)));

            assertThat(lost.kind()).as(command).isEqualTo(Kind.UNKNOWN);
        }
        assertThat(run(increment(ONE_REPLICA))).containsExactly(5L, null);
    }

    private static boolean isNamed(RedisRequest request, String command) {
        return request.name().equals(command);
    }

    @Test
    void connectionThatTheServerClosedWhileItWasIdleIsReplaced() {
        run(increment(ONE_REPLICA));
        own.elapse(Duration.ofMinutes(10));
        network.disconnect();

        assertThat(run(increment(ONE_REPLICA))).containsExactly(2L, null);
    }

    @Test
    void scriptThatRedisLostIsSentAgain() {
        run(increment(ONE_REPLICA));
        master.command("SCRIPT", "FLUSH");

        assertThat(run(increment(ONE_REPLICA))).containsExactly(2L, null);
    }

    @Test
    void errorOfAScriptFailsOnlyItsCall() {
        LuaScript failing = script("failing", "return redis.call('LPUSH', KEYS[1], 'x')");
        run(increment(ONE_REPLICA));

        RedisCallException failure = catchThrowableOfType(
                RedisCallException.class, () -> run(new ScriptCall(failing, KEY).durability(ONE_REPLICA)));

        assertThat(failure.kind()).isEqualTo(Kind.STOPPED);
        assertThat(run(increment(ONE_REPLICA))).containsExactly(2L, null);
    }

    @Test
    void masterThatIsNoLongerAMasterIsReported() {
        run(increment(ONE_REPLICA));
        master.command("REPLICAOF", "127.0.0.1", Integer.toString(replica.port()));

        RedisCallException failure = catchThrowableOfType(RedisCallException.class, () -> run(increment(ONE_REPLICA)));

        assertThat(failure.kind()).isIn(Kind.REJECTED, Kind.UNKNOWN);
        assertThat(failure).hasMessageContaining("script increment");
    }

    @Test
    void unreachableMasterFailsAtOnceAndIsUsedAgainWhenItReturns() {
        network.refuse();

        RedisCallException failure = catchThrowableOfType(RedisCallException.class, () -> run(increment(ONE_REPLICA)));

        assertThat(failure.kind()).isEqualTo(Kind.NOT_SENT);
        network.pass();
        assertThat(run(increment(ONE_REPLICA))).containsExactly(1L, null);
    }

    @Test
    void fsyncIsConfirmedWhereTheServerHasIt() {
        Durability onDisk = Durability.fsynced(0, Duration.ofSeconds(20));

        List<Object> withoutFile = run(increment(onDisk));
        master.command("CONFIG", "SET", "appendonly", "yes");

        assertThat(withoutFile.get(0)).isEqualTo(1L);
        assertThat(unconfirmed(withoutFile))
                .hasMessageContaining("Redis rejected the confirmation of the script increment: ERR ");
        RedisCallException withFile = unconfirmed(run(increment(onDisk)));
        if (hasWaitAof(master)) {
            assertThat(withFile).isNull();
        } else {
            assertThat(withFile).hasMessageContaining("unknown command");
        }
    }

    /** A call that waits for the confirmation of the replica, which is paused. */
    private CompletableFuture<List<Object>> unconfirmedCall() {
        replica.pause();
        CompletableFuture<List<Object>> call = own.scripts().run(increment(ONE_REPLICA));
        await().until(() -> master.info("clients").get("blocked_clients").equals("1"));
        return call;
    }

    @Test
    void concurrentCallsShareAConfirmation() {
        CompletableFuture<List<Object>> first = unconfirmedCall();
        List<CompletableFuture<List<Object>>> others = IntStream.range(0, 40)
                .mapToObj(i -> own.scripts().run(increment(ONE_REPLICA)))
                .toList();
        replica.resume();

        assertThat(first.join()).containsExactly(1L, null);
        assertThat(others)
                .allSatisfy(other -> assertThat(unconfirmed(other.join())).isNull());
        assertThat(master.info("commandstats").get("cmdstat_wait")).startsWith("calls=2,");
    }

    @Test
    void otherCallsAreNotDelayed() {
        CompletableFuture<List<Object>> durable = unconfirmedCall();

        assertThat(run(increment(Durability.NONE))).containsExactly(2L);

        assertThat(durable).isNotDone();
        replica.resume();
        assertThat(durable.join()).containsExactly(1L, null);
    }

    @Test
    void callThatWaitsWhenTheConnectionsAreClosedIsNotSent() {
        CompletableFuture<List<Object>> first = unconfirmedCall();
        CompletableFuture<List<Object>> second = own.scripts().run(increment(ONE_REPLICA));

        own.connections().close();
        replica.resume();

        await().until(() -> first.isDone() && second.isDone());
        assertThatThrownBy(second::join)
                .cause()
                .isInstanceOfSatisfying(
                        RedisCallException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_SENT));
        assertThat(master.command("GET", new String(KEY, UTF_8))).isEqualTo("1");
        await().until(() -> network.openConnections() == 0);
    }

    @Test
    void largeCallsAreSentInSeveralGroups() {
        LuaScript length = script("length", "return {#ARGV[1]}");
        byte[] large = new byte[2 << 20];
        CompletableFuture<List<Object>> first = unconfirmedCall();
        List<CompletableFuture<List<Object>>> others = IntStream.range(0, 6)
                .mapToObj(i ->
                        own.scripts().run(new ScriptCall(length, KEY).add(large).durability(ONE_REPLICA)))
                .toList();
        replica.resume();

        assertThat(first.join()).containsExactly(1L, null);
        assertThat(others).allSatisfy(other -> assertThat(other.join()).containsExactly((long) large.length, null));
        assertThat(master.info("commandstats").get("cmdstat_wait")).startsWith("calls=4,");
    }

    /** A cancel, for example, writes although the memory is full. */
    @Test
    void writeThatFreesMemoryIsConfirmedWhileMemoryIsFull() {
        LuaScript delete = script("delete", "redis.call('DEL', KEYS[1]) return {1}");
        run(increment(ONE_REPLICA));
        master.command("CONFIG", "SET", "maxmemory", "1");

        assertThat(run(new ScriptCall(delete, KEY).durability(ONE_REPLICA))).containsExactly(1L, null);
        assertThat(replica.command("EXISTS", new String(KEY, UTF_8))).isEqualTo(0L);
    }
}
