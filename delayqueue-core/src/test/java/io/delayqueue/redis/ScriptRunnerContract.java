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
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
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
        assertThat(reply)
                .usingRecursiveComparison()
                .isEqualTo(Arrays.asList(KEY, binary, 42L, Arrays.asList(null, bytes("x"), List.of()), bytes("OK")));
        assertThat(run(script("nothing", "return {}"))).isEmpty();
    }

    @Test
    void scriptThatRedisForgotIsSentWholeAndAKnownOneByItsDigest() {
        assertThat(run(INCREMENT)).containsExactly(1L);
        redis.command("SCRIPT", "FLUSH");
        assertThat(run(INCREMENT)).containsExactly(2L);
        long before = network.traffic().requests();
        assertThat(run(INCREMENT)).containsExactly(3L);
        assertThat(network.traffic().requests() - before).isOne();
        assertThat(redis.info("commandstats").get("cmdstat_eval")).startsWith("calls=2,");
    }

    @Test
    void errorOfRedisIsRejectedWithItsSentence() {
        redis.command("SET", "counter", "text");
        assertRejected(Kind.STOPPED, INCREMENT, "ERR value is not an integer");
        assertRejected(Kind.STOPPED, script("error", "return redis.error_reply('MINE because')"), "MINE because");
        assertRejected(Kind.STOPPED, script("syntax", "return ("), "Error compiling script");
        redis.command("CONFIG", "SET", "maxmemory", "1");
        assertRejected(Kind.MEMORY_FULL, INCREMENT, "OOM");
    }

    @Test
    void demotedMasterIsRejectedAndDialledAnew() {
        run(INCREMENT);
        long connections = network.traffic().connections();
        redis.command("REPLICAOF", "127.0.0.1", "1");
        assertRejected(Kind.REJECTED, INCREMENT, "READONLY");
        await().until(() -> network.traffic().connections() > connections);
        redis.command("REPLICAOF", "NO", "ONE");
        assertThat(run(INCREMENT)).containsExactly(2L);
    }

    @Test
    void tryAgainIsTriedAgain() {
        LuaScript script = script(
                "migrating",
                "local n = redis.call('INCR', KEYS[1]) if n < 3 then return redis.error_reply('TRYAGAIN soon') end return {n}");
        assertThat(run(script)).containsExactly(3L);
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
                assertThat(run(INCREMENT)).containsExactly(1L);
                return operations.exec();
            }
        });
        assertThat(exec).hasSize(1);
    }

    @Test
    void redisThatWasNeverReachedWasNotSentAnything() {
        network.refuse();
        RedisCallException failure = failure(INCREMENT);
        assertThat(failure.kind()).isEqualTo(Kind.NOT_SENT);
        assertThat(failure).hasMessageStartingWith("Redis at 127.0.0.1:" + network.port() + " cannot be reached: ");
        network.pass();
        assertThat(run(INCREMENT)).containsExactly(1L);
    }

    @Test
    void silenceIsUnknown() {
        connectWithShortTimeout();
        redis.pause();
        assertThat(failure(INCREMENT).kind()).isEqualTo(Kind.UNKNOWN);
        redis.resume();
        awaitReply();
    }

    @Test
    void halfOpenConnectionHeals() {
        connectWithShortTimeout();
        network.halfOpen(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);
        assertThat(failure(INCREMENT).kind()).isEqualTo(Kind.UNKNOWN);
        awaitReply();
    }

    @Test
    void applicationGoesOnAfterTheQueueClosed() {
        run(INCREMENT);
        own.connections().close();
        StringRedisTemplate template = new StringRedisTemplate(own.application());
        template.opsForValue().set("after", "1");
        assertThat(template.opsForValue().get("after")).isEqualTo("1");
        assertThat(failure(INCREMENT).kind()).isEqualTo(Kind.NOT_SENT);
    }

    /** Begins anew with the short timeout, and connects. On a busy machine the first attempts may time out. */
    final void connectWithShortTimeout() {
        own.useShortTimeout();
        scripts = own.scripts();
        awaitReply();
    }

    final void awaitReply() {
        await().ignoreExceptions().until(() -> !run(INCREMENT).isEmpty());
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

    final List<Object> run(LuaScript script) {
        return Await.call(() -> scripts.run(new ScriptCall(script, KEY)));
    }

    final RedisCallException failure(LuaScript script) {
        return catchThrowableOfType(RedisCallException.class, () -> run(script));
    }

    final void assertRejected(Kind kind, LuaScript script, String sentence) {
        RedisCallException failure = failure(script);
        assertThat(failure.kind()).as("%s", failure).isEqualTo(kind);
        assertThat(failure.isOutcomeUnknown()).isEqualTo(kind == Kind.STOPPED);
        assertThat(failure).hasMessageContaining(sentence).hasMessageContaining(script.name());
    }
}
