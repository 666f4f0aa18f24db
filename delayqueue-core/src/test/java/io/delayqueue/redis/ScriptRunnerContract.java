package io.delayqueue.redis;

import static io.delayqueue.redis.OwnConnections.bytes;
import static io.delayqueue.redis.OwnConnections.script;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** What holds with each client library. */
@Timeout(60)
abstract class ScriptRunnerContract {

    static final LuaScript INCREMENT = script("increment", "return {redis.call('INCR', KEYS[1])}");
    static final byte[] KEY = bytes("counter");

    private static RedisServerProcess redis;

    private FaultProxy network;
    private OwnConnections own;
    private RedisScripts scripts;

    abstract OwnConnections connect(int port);

    @BeforeAll
    static void startServer() {
        redis = RedisServerProcess.start();
    }

    @AfterAll
    static void stopServer() {
        redis.close();
    }

    @BeforeEach
    void connect() {
        redis.flush();
        redis.command("CONFIG", "RESETSTAT");
        network = FaultProxy.inFrontOf(redis);
        own = connect(network.port());
        scripts = own.scripts();
    }

    @AfterEach
    void close() throws Exception {
        own.close();
        network.close();
        redis.resume();
        redis.command("REPLICAOF", "NO", "ONE");
        redis.command("CONFIG", "SET", "maxmemory", "0");
    }

    @Test
    void replyIsBytesNumbersNullsAndLists() {
        LuaScript script = script("types", "return {KEYS[1], ARGV[1], 42, {false, 'x', {}}, redis.status_reply('OK')}");
        byte[] binary = {0, (byte) 0xff, '\r', '\n'};

        List<Object> reply = Await.call(() -> scripts.run(new ScriptCall(script, KEY).add(binary)));

        assertThat(reply).hasSize(5);
        assertThat(reply.subList(0, 3)).usingRecursiveComparison().isEqualTo(List.of(KEY, binary, 42L));
        assertThat(reply.get(3)).usingRecursiveComparison().isEqualTo(Arrays.asList(null, bytes("x"), List.of()));
        assertThat(reply.get(4)).isEqualTo(bytes("OK"));
        assertThat(scripts.run(new ScriptCall(script, KEY).add(binary)).join())
                .usingRecursiveComparison()
                .isEqualTo(reply);
    }

    @Test
    void emptyReplyIsAnEmptyList() {
        LuaScript script = script("nothing", "return {}");

        assertThat(Await.call(() -> scripts.run(new ScriptCall(script, KEY)))).isEmpty();
        assertThat(scripts.run(new ScriptCall(script, KEY)).join()).isEmpty();
    }

    @Test
    void scriptThatRedisForgotIsSentWhole() {
        assertThat(Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY))))
                .containsExactly(1L);
        redis.command("SCRIPT", "FLUSH");
        assertThat(Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY))))
                .containsExactly(2L);
        redis.command("SCRIPT", "FLUSH");
        assertThat(scripts.run(new ScriptCall(INCREMENT, KEY)).join()).containsExactly(3L);
        assertThat(redis.info("commandstats").get("cmdstat_eval")).startsWith("calls=3,");
    }

    @Test
    void knownScriptIsSentByItsDigest() {
        Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY)));
        long before = network.traffic().requests();
        Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY)));
        scripts.run(new ScriptCall(INCREMENT, KEY)).join();
        assertThat(network.traffic().requests() - before).isEqualTo(2);
        assertThat(redis.info("commandstats").get("cmdstat_eval")).startsWith("calls=1,");
    }

    @Test
    void errorOfRedisIsRejectedWithItsSentence() {
        redis.command("SET", "counter", "text");

        assertRejected(Kind.STOPPED, INCREMENT, "ERR value is not an integer");
        assertRejected(Kind.STOPPED, script("error", "return redis.error_reply('MINE because')"), "MINE because");
        assertRejected(Kind.STOPPED, script("syntax", "return ("), "Error compiling script");
    }

    @Test
    void fullMemoryIsRejected() {
        Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY)));
        redis.command("CONFIG", "SET", "maxmemory", "1");

        assertRejected(Kind.MEMORY_FULL, INCREMENT, "OOM");
    }

    @Test
    void demotedMasterIsRejectedAndDialledAnew() {
        Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY)));
        long connections = network.traffic().connections();
        redis.command("REPLICAOF", "127.0.0.1", "1");

        assertRejected(Kind.REJECTED, INCREMENT, "READONLY");

        await().until(() -> network.traffic().connections() > connections);
        redis.command("REPLICAOF", "NO", "ONE");
        assertThat(Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY))))
                .containsExactly(2L);
    }

    @Test
    void tryAgainIsTriedAgain() {
        LuaScript script = script(
                "migrating",
                "local n = redis.call('INCR', KEYS[1]) if n < 3 then return redis.error_reply('TRYAGAIN soon') end return {n}");

        assertThat(Await.call(() -> scripts.run(new ScriptCall(script, KEY)))).containsExactly(3L);
        redis.command("DEL", "counter");
        assertThat(scripts.run(new ScriptCall(script, KEY)).join()).containsExactly(3L);
    }

    @Test
    void transactionOfTheApplicationDoesNotQueueIt() {
        StringRedisTemplate template = new StringRedisTemplate(own.application());

        List<Object> exec = template.execute(new SessionCallback<>() {
            @Override
            @SuppressWarnings("unchecked")
            public <K, V> List<Object> execute(RedisOperations<K, V> operations) throws DataAccessException {
                operations.multi();
                operations.opsForValue().set((K) "other", (V) "value");
                assertThat(Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY))))
                        .containsExactly(1L);
                assertThat(scripts.run(new ScriptCall(INCREMENT, KEY)).join()).containsExactly(2L);
                return operations.exec();
            }
        });

        assertThat(exec).hasSize(1);
    }

    @Test
    void redisThatWasNeverReachedWasNotSentAnything() {
        network.refuse();

        for (RedisCallException failure : List.of(failure(INCREMENT), asyncFailure(INCREMENT))) {
            assertThat(failure.kind()).isEqualTo(Kind.NOT_SENT);
            assertThat(failure).hasMessageStartingWith("Redis at 127.0.0.1:" + network.port() + " cannot be reached: ");
        }

        network.pass();
        assertThat(Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY))))
                .containsExactly(1L);
    }

    @Test
    void silenceIsUnknown() {
        connectWithShortTimeout();
        redis.pause();

        assertThat(failure(INCREMENT).kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(asyncFailure(INCREMENT).kind()).isEqualTo(Kind.UNKNOWN);

        redis.resume();
        awaitReply();
    }

    @Test
    void halfOpenConnectionHeals() {
        connectWithShortTimeout();
        scripts.run(new ScriptCall(INCREMENT, KEY)).join();
        network.halfOpen(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);

        assertThat(failure(INCREMENT).kind()).isEqualTo(Kind.UNKNOWN);

        awaitReply();
        assertThat(scripts.run(new ScriptCall(INCREMENT, KEY)).join()).hasSize(1);
    }

    @Test
    @Tag("long")
    @Tag("core")
    void firstCallSucceedsSoonAfterRedisIsAvailableAgain() {
        connectWithShortTimeout();
        redis.kill();
        for (int i = 0; i < 6; i++) {
            failure(INCREMENT);
        }
        redis.restart();
        long available = System.nanoTime();

        awaitReply();

        Duration late = Duration.ofNanos(System.nanoTime() - available);
        System.out.println(getClass().getSimpleName() + ": first call " + late.toMillis() + " ms after the restart");
        assertThat(late).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void applicationGoesOnAfterTheQueueClosed() throws Exception {
        Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY)));
        StringRedisTemplate template = new StringRedisTemplate(own.application());
        template.opsForValue().set("before", "1");

        own.connections().close();

        template.opsForValue().set("after", "1");
        assertThat(template.opsForValue().get("after")).isEqualTo("1");
        assertThat(failure(INCREMENT).kind()).isEqualTo(Kind.NOT_SENT);
        assertThat(asyncFailure(INCREMENT).kind()).isEqualTo(Kind.NOT_SENT);
    }

    /** Begins anew with the short timeout, and connects. On a busy machine the first attempts may time out. */
    final void connectWithShortTimeout() {
        own.useShortTimeout();
        scripts = own.scripts();
        awaitReply();
    }

    final void awaitReply() {
        await().ignoreExceptions()
                .until(() -> !Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY)))
                        .isEmpty());
    }

    final RedisServerProcess redis() {
        return redis;
    }

    final FaultProxy network() {
        return network;
    }

    final OwnConnections own() {
        return own;
    }

    final RedisScripts scripts() {
        return scripts;
    }

    final RedisCallException failure(LuaScript script) {
        return catchThrowableOfType(
                RedisCallException.class, () -> Await.call(() -> scripts.run(new ScriptCall(script, KEY))));
    }

    final RedisCallException asyncFailure(LuaScript script) {
        return (RedisCallException) scripts.run(new ScriptCall(script, KEY))
                .handle((reply, failure) -> failure)
                .join();
    }

    final void assertRejected(Kind kind, LuaScript script, String sentence) {
        for (RedisCallException failure : List.of(failure(script), asyncFailure(script))) {
            assertThat(failure.kind()).as("%s", failure).isEqualTo(kind);
            assertThat(failure.isOutcomeUnknown()).isEqualTo(kind == Kind.STOPPED);
            assertThat(failure).hasMessageContaining(sentence).hasMessageContaining(script.name());
        }
    }
}
