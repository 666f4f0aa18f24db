package io.delayqueue.redis;

import static io.delayqueue.redis.OwnConnections.bytes;
import static io.delayqueue.redis.OwnConnections.script;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Durability;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisRequest;
import io.delayqueue.test.redis.RedisServerProcess;
import io.lettuce.core.ClientOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Scripts on the queue's own connections. */
@Timeout(60)
class RedisScriptsTests {

    static final LuaScript INCREMENT = script("increment", "return {redis.call('INCR', KEYS[1])}");
    static final byte[] KEY = bytes("counter");

    private static RedisServerProcess redis;

    private FaultProxy network;
    private OwnConnections own;
    private RedisScripts scripts;

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
        own = OwnConnections.lettuce(network.port());
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
    void variantOfAScriptIsRunWithTheSameKeysAndArguments() {
        LuaScript variant = script("variant", "return {KEYS[1], ARGV[1]}");
        RedisScripts variants = new RedisScripts(
                own.connections(), (name, failure) -> {}, script -> script == INCREMENT ? variant : script);
        assertThat(Await.call(() -> variants.run(new ScriptCall(INCREMENT, KEY).add("x"))))
                .containsExactly(KEY, bytes("x"));
        assertThat(run(INCREMENT)).containsExactly(1L);
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
    void missingPermissionOfAScriptIsExplained() {
        redis.command("ACL", "SETUSER", "default", "-incr");
        try {
            assertRejected(Kind.STOPPED, INCREMENT, "(the user lacks a permission, which ACL LOG names)");
        } finally {
            redis.command("ACL", "SETUSER", "default", "+incr");
        }
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

    @Test
    void onlyTheFirstUseNeedsAThread() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        QueueConnections connections = own.connections(tasks::add, System::nanoTime);
        RedisScripts scripts = new RedisScripts(connections, (script, failure) -> {});
        // the first test of a JVM has already made one
        long before = network.traffic().connections();

        CompletableFuture<List<Object>> reply = scripts.run(new ScriptCall(INCREMENT, KEY));
        assertThat(network.traffic().connections()).isEqualTo(before);
        assertThat(tasks).hasSize(1);
        tasks.remove().run();

        assertThat(reply.join()).containsExactly(1L);
        assertThat(scripts.run(new ScriptCall(INCREMENT, KEY)).join()).containsExactly(2L);
        assertThat(tasks).isEmpty();
        assertThat(network.traffic().connections()).isEqualTo(before + 1);
        connections.close();
    }

    @Test
    void silentConnectionIsReplacedAfterTwoTimeouts() {
        connectWithShortTimeout();
        long before = network.traffic().connections();
        network.halfOpen(Direction.SERVER_TO_CLIENT);

        assertThat(failure(INCREMENT).kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(network.traffic().connections()).isEqualTo(before);
        assertThat(failure(INCREMENT).kind()).isEqualTo(Kind.UNKNOWN);

        await().until(() -> network.traffic().connections() > before);
        awaitReply();
    }

    @Test
    void connectionIsReplacedOnceForAllThatReportItsFailure() {
        ScriptCall call = new ScriptCall(INCREMENT, KEY);
        QueueConnections connections = own.connections();
        Await.call(() -> scripts.run(call));
        Link failed = connections.present(call);

        CompletableFuture.allOf(IntStream.range(0, 20)
                        .mapToObj(i -> CompletableFuture.runAsync(() -> connections.replace(failed)))
                        .toArray(CompletableFuture[]::new))
                .join();
        await().until(() -> connections.present(call) != failed);
        own.elapse(Duration.ofMinutes(1));
        connections.replace(failed);

        assertThat(Await.call(() -> scripts.run(call))).containsExactly(2L);
        assertThat(network.traffic().connections()).isEqualTo(2);
    }

    @Test
    void replacedConnectionIsClosedWhenItsLastCommandMustHaveEnded() {
        connectWithShortTimeout();
        long before = network.traffic().connections();
        own.connections().reset();

        await().until(() -> network.traffic().connections() > before);
        await().until(() -> network.openConnections() == 1);
        awaitReply();
    }

    @Test
    void resetsAreAtLeastTheReconnectDelayApart() {
        AtomicLong nanos = new AtomicLong();
        QueueConnections connections = own.connections(Runnable::run, nanos::get);
        connections.reset();
        assertThat(network.traffic().connections()).isZero();
        Await.call(() -> connections.connect(new ScriptCall(INCREMENT, KEY)));

        connections.reset();
        connections.reset();
        nanos.addAndGet(999_999_999);
        connections.reset();
        assertThat(network.traffic().connections()).isEqualTo(2);
        nanos.addAndGet(1);
        connections.reset();
        assertThat(network.traffic().connections()).isEqualTo(3);
        connections.close();
        await().until(() -> network.openConnections() == 0);
    }

    @Test
    void slowDialIsSharedByAllWhoWait() {
        network.delay(Duration.ofMillis(100));

        List<CompletableFuture<List<Object>>> replies = IntStream.range(0, 20)
                .mapToObj(i -> i % 2 == 0
                        ? scripts.run(new ScriptCall(INCREMENT, KEY))
                        : CompletableFuture.supplyAsync(
                                () -> Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY))),
                                own.connections().executor()))
                .toList();
        replies.forEach(CompletableFuture::join);

        assertThat(network.traffic().connections()).isOne();
    }

    /** The commands behind the script do not fit into the application's queue. */
    @Test
    void sizeOfTheRequestQueueDoesNotLimitAConfirmedCall() throws Exception {
        LettuceConnectionFactory application = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", network.port()),
                LettuceClientConfiguration.builder()
                        .clientOptions(
                                ClientOptions.builder().requestQueueSize(1).build())
                        .build());
        try (OwnConnections own = OwnConnections.of(application)) {
            ScriptCall call = new ScriptCall(INCREMENT, KEY).durability(Durability.replicas(1, Duration.ofMillis(1)));

            List<Object> reply = Await.call(() -> own.scripts().run(call));

            assertThat(reply.get(0)).isEqualTo(1L);
            assertThat((RedisCallException) reply.get(1)).hasMessage("0 of 1 replicas confirmed it within 1 ms");
        }
    }

    /** For example, a server that restarts: the client repeats the command on a new connection. */
    @ParameterizedTest
    @CsvSource({"LOADING, ", "OOM, ", "READONLY, ", "TRYAGAIN, ", "NOSCRIPT, LOADING"})
    void errorReplyToARepeatLeavesTheOutcomeUnknown(String second, String third) {
        LuaScript script = script(
                "restarted",
                "local n = redis.call('INCR', KEYS[1]) if n < 3 then return {n} end return redis.error_reply((n == 3 and '"
                        + second + "' or '" + third + "') .. ' because')");
        run(script);
        network.cutNextReply(RedisRequest::isScript);

        RedisCallException failure = failure(script);

        assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(failure).hasMessageContaining("the repeat failed").hasMessageContaining(" because");
    }

    @Test
    void replyToARepeatLeavesTheOutcomeOfANotRepeatableCallUnknown() {
        run(INCREMENT);
        network.cutNextReply(RedisRequest::isScript);
        assertThat(run(INCREMENT)).containsExactly(3L);
        network.cutNextReply(RedisRequest::isScript);

        assertThatThrownBy(() -> Await.call(() -> own.scripts().run(new ScriptCall(INCREMENT, KEY).notRepeatable())))
                .isInstanceOfSatisfying(
                        RedisCallException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN))
                .hasMessageContaining("Redis replied to the repeat");
        assertThat(Await.call(() -> own.scripts().run(new ScriptCall(INCREMENT, KEY).notRepeatable())))
                .containsExactly(6L);
    }

    @Test
    void tryAgainEndsAfterASecond() {
        assertRejected(Kind.TRY_AGAIN, script("stuck", "return redis.error_reply('TRYAGAIN never')"), "TRYAGAIN never");
    }

    @Test
    void eachFailedCallIsToldOnce() {
        Queue<String> reported = new ConcurrentLinkedQueue<>();
        RedisScripts telling =
                new RedisScripts(own.connections(), (script, failure) -> reported.add(script + " " + failure.kind()));
        LuaScript wrong = script("wrong", "return redis.call('LPUSH', KEYS[1], 'x')");
        telling.run(new ScriptCall(INCREMENT, KEY)).join();
        assertThat(reported).isEmpty();
        assertThatThrownBy(() -> telling.run(new ScriptCall(wrong, KEY)).join())
                .hasCauseInstanceOf(RedisCallException.class);
        own.connections().close();
        assertThatThrownBy(() -> telling.run(new ScriptCall(INCREMENT, KEY)).join())
                .hasCauseInstanceOf(RedisCallException.class);
        assertThat(reported).containsExactly("wrong STOPPED", "increment NOT_SENT");
    }
}
