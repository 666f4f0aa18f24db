package io.delayqueue.redis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.server.ServerState.AppendOnly;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The state of a real server, with and without permission for {@code INFO}. */
@EmbeddedRedis(settings = "maxmemory-policy allkeys-lru")
class ServerProbeTests {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private final RedisServerProcess redis;
    private QueueConnections connections;

    ServerProbeTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void configure() {
        redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        redis.command("CONFIG", "SET", "maxmemory", "0");
        redis.command("CONFIG", "SET", "appendonly", "no");
        redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
        connect(new RedisStandaloneConfiguration("127.0.0.1", redis.port()));
    }

    private void connect(RedisStandaloneConfiguration server) {
        connections = new QueueConnections(
                new LettuceConnectionFactory(server), QueueConnections.Settings.defaults(), System::nanoTime);
    }

    @AfterEach
    void disconnect() {
        connections.close();
    }

    private ServerProbe probe() {
        return new ServerProbe(
                new RedisScripts(connections, (script, failure) -> {}),
                new KeySpace("dq"),
                InstantSource.system(),
                System::nanoTime);
    }

    @Test
    void serverSaysWhatItIs() {
        Map<String, String> server = redis.info("server");
        String valkey = server.get("valkey_version");

        ServerState state = Await.call(() -> probe().probe());

        assertThat(state.version())
                .isEqualTo(valkey != null ? "Valkey " + valkey : server.get("redis_version"))
                .matches("(Valkey )?\\d+\\.\\d+\\.\\d+");
        assertThat(state.maxMemory()).isZero();
        assertThat(state.evictionPolicy()).isEqualTo("allkeys-lru");
        assertThat(state.appendOnly()).isEqualTo(AppendOnly.OFF);
        assertThat(state.mayEvict()).isTrue();
    }

    @Test
    void settingsAreThoseOfNow() {
        redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        redis.command("CONFIG", "SET", "maxmemory", "64mb");
        redis.command("CONFIG", "SET", "appendonly", "yes");

        ServerState state = probe().probe().join();

        assertThat(state.maxMemory()).isEqualTo(64 * 1024 * 1024);
        assertThat(state.evictionPolicy()).isEqualTo("noeviction");
        assertThat(state.appendOnly()).isEqualTo(AppendOnly.ON);
        assertThat(state.mayEvict()).isFalse();
    }

    @Test
    void memoryAndReplicationAreThoseOfNow() {
        redis.command("CONFIG", "SET", "maxmemory", "64mb");

        ServerState state = only();

        assertThat(state.server()).isEmpty();
        assertThat(state.heartbeats()).isTrue();
        assertThat(state.usedMemory()).isBetween(100_000L, state.maxMemory());
        assertThat(state.role()).isEqualTo("master");
        assertThat(state.replicas()).isZero();
        assertThat(state.refusal()).isNull();
        assertThat(redis.command("EXISTS", "dq:{nodes}:probe")).isEqualTo(0L);
    }

    @Test
    void fullMemoryIsARefusal() {
        redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        redis.command("CONFIG", "SET", "maxmemory", "1");

        ServerState full = only();

        assertThat(full.refusal()).startsWith("OOM command not allowed");
        assertThat(full.isFull()).isTrue();
        assertThat(full.refusesAll()).isFalse();
        redis.command("CONFIG", "SET", "maxmemory", "0");
        assertThat(only().refusal()).isNull();
    }

    /** Redis 6.2 lets scripts write without replicas. */
    @Test
    void whatScriptsMayNotWriteIsARefusal() {
        redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
        Object reply = redis.command(
                "EVAL",
                "local deleted = redis.pcall('DEL', KEYS[1]) return type(deleted) == 'table' and deleted.err or ''",
                "1",
                "dq:x");
        boolean refused = String.valueOf(reply).contains("NOREPLICAS");

        ServerState state = only();

        assertThat(state.refusesAll()).isEqualTo(refused);
        if (refused) {
            assertThat(state.refusal()).startsWith("NOREPLICAS ");
        }
        redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
        assertThat(only().refusal()).isNull();
    }

    @Test
    void replicaRefusesWrites() {
        redis.command("REPLICAOF", "127.0.0.1", "1");
        try {
            ServerState state = only();
            assertThat(state.role()).isEqualTo("slave");
            assertThat(state.refusal()).startsWith("READONLY ");
        } finally {
            redis.command("REPLICAOF", "NO", "ONE");
        }
    }

    private ServerState only() {
        List<ServerState> states = probe().probeAll().join();
        assertThat(states).hasSize(1);
        return states.get(0);
    }

    @Test
    void clocksAreComparedInTheMiddleOfTheRoundTrip() {
        Instant here = SystemClock.now();
        AtomicLong nanos = new AtomicLong();
        ServerProbe probe = new ServerProbe(
                new RedisScripts(connections, (script, failure) -> {}),
                new KeySpace("dq"),
                InstantSource.fixed(here),
                () -> nanos.getAndAdd(TEN_SECONDS.toNanos()));

        ServerState state = Await.call(probe::probe);

        assertThat(state.roundTrip()).isEqualTo(TEN_SECONDS);
        assertThat(state.clockSkew()).isEqualTo(Duration.between(here.minusSeconds(5), state.now()));
        assertNow(state, here);
    }

    /** Redis runs on the same machine. */
    private static void assertNow(ServerState state, Instant before) {
        assertThat(state.now().toEpochMilli()).isBetween(before.toEpochMilli(), SystemClock.millis());
    }

    @Test
    void whoMayNotAskForSettingsIsToldNothingButTheTime() {
        redis.command(
                "ACL",
                "SETUSER",
                "limited",
                "on",
                ">secret",
                "~dq:*",
                "resetchannels",
                "&dq:*",
                "+@all",
                "-@dangerous");
        disconnect();
        RedisStandaloneConfiguration limited = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
        limited.setUsername("limited");
        limited.setPassword("secret");
        connect(limited);

        Instant before = SystemClock.now();
        ServerState state = Await.call(() -> probe().probe());

        assertThat(state.version()).isEqualTo(ServerState.UNKNOWN);
        assertThat(state.maxMemory()).isEqualTo(-1);
        assertThat(state.evictionPolicy()).isEqualTo(ServerState.UNKNOWN);
        assertThat(state.appendOnly()).isEqualTo(AppendOnly.UNKNOWN);
        assertThat(state.mayEvict()).isFalse();
        assertThat(state.usedMemory()).isEqualTo(-1);
        assertThat(state.role()).isEqualTo(ServerState.UNKNOWN);
        assertThat(state.replicas()).isEqualTo(-1);
        assertThat(state.refusal()).isNull();
        assertNow(state, before);
    }

    @Test
    void probeWithoutReplyFailsLikeAnyScript() {
        disconnect();
        connect(new RedisStandaloneConfiguration("127.0.0.1", 1));

        assertThat(probe().probeAll().join()).isEmpty();
        assertThatExceptionOfType(RedisCallException.class).isThrownBy(() -> Await.call(() -> probe().probe()));
        assertThatThrownBy(() -> probe().probe().get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(RedisCallException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "noeviction, false",
        "volatile-lru, false",
        "volatile-ttl, false",
        "unknown, false",
        "allkeys-lru, true",
        "allkeys-lfu, true",
        "allkeys-random, true",
        "eviction, true",
    })
    void onlyPoliciesThatSpareWhatHasNoTimeToLiveAreHarmless(String policy, boolean evicts) {
        ServerState state = new ServerState(
                "",
                true,
                "7",
                0,
                policy,
                AppendOnly.ON,
                1,
                "master",
                0,
                null,
                Instant.EPOCH,
                Duration.ZERO,
                Duration.ZERO);

        assertThat(state.mayEvict()).isEqualTo(evicts);
    }
}
