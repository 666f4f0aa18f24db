package io.delayqueue.redis;

import static io.delayqueue.redis.OwnConnections.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.Exhaustion;
import io.delayqueue.container.Exhaustion.Failure;
import io.delayqueue.message.DaemonThreads;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.QueueConnections.Settings;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** While no thread can be created, everything runs on the one that exists. A connection that fails is tried again. */
@EmbeddedRedis
class ConnectionThreadsTests {

    private static final LuaScript PING = OwnConnections.script("ping", "return {redis.call('PING')}");
    private static final int MOST_CALLS = 40;
    /** For calls that must not time out. */
    private static final Duration AMPLE = Duration.ofSeconds(5);

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final KeySpace KEYS = new KeySpace("exhausted");

    private final AtomicLong nanos = new AtomicLong();
    private final RedisServerProcess redis;
    private final List<AutoCloseable> open = new ArrayList<>();
    private FaultProxy network;
    private LettuceConnectionFactory application;

    ConnectionThreadsTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void begin() {
        FirstConnection.make(redis.port());
        network = FaultProxy.inFrontOf(redis);
        application = new LettuceConnectionFactory(network.host(), network.port());
    }

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        network.close();
    }

    @Test
    void firstThreadIsRequired() {
        Exhaustion exhaustion = Exhaustion.whenTold();
        exhaustion.begin();

        assertThatExceptionOfType(InternalError.class)
                .isThrownBy(() ->
                        new QueueConnections(application, Settings.defaults(), exhaustion.threads(), System::nanoTime));
    }

    @Test
    void callsRunWithoutAnotherThread() {
        Exhaustion exhaustion = Exhaustion.whenTold();
        RedisScripts scripts = new RedisScripts(connections(application, AMPLE, exhaustion), (script, failure) -> {});
        exhaustion.begin();

        assertThat(outcome(() -> scripts.run(new ScriptCall(PING, bytes("k"))))).isNull();
        Durability durability = Durability.replicas(1, Duration.ofMillis(1));
        assertThat(outcome(() -> scripts.run(new ScriptCall(PING, bytes("k")).durability(durability))))
                .isNull();
        assertThat(exhaustion.failed()).isEqualTo(2);
    }

    /** As without heap for a task. */
    @Test
    void callWhoseTaskCannotBeSubmittedFailsAndTheNextOneRuns() {
        Exhaustion exhaustion = Exhaustion.whenTold();
        QueueConnections connections = new QueueConnections(
                new LettuceClient(application, Settings.defaults()),
                Settings.defaults(),
                exhaustion.executor(DaemonThreads.executor("task")),
                System::nanoTime);
        open.add(connections);
        RedisScripts scripts = new RedisScripts(connections, (script, failure) -> {});
        ScriptCall plain = new ScriptCall(PING, bytes("k"));
        ScriptCall confirmed =
                new ScriptCall(PING, bytes("k")).durability(Durability.replicas(1, Duration.ofMillis(1)));
        for (ScriptCall each : List.of(plain, confirmed)) {
            exhaustion.begin();
            assertThat(outcome(() -> scripts.run(each))).isInstanceOf(RedisCallException.class);
            exhaustion.end();
            assertThat(outcome(() -> scripts.run(each))).isNull();
        }
    }

    @Test
    void tasksWaitForTheOnlyThreadAndSurviveItsFailures() {
        Exhaustion exhaustion = Exhaustion.whenTold();
        try (ConnectionThreads own = new ConnectionThreads(exhaustion.threads())) {
            exhaustion.begin();
            CompletableFuture<Void> latch = new CompletableFuture<>();
            Queue<String> ended = new ConcurrentLinkedQueue<>();
            own.execute(() -> {
                latch.join();
                ended.add("first");
                throw new IllegalStateException("for the test");
            });
            own.execute(() -> ended.add("second"));
            latch.complete(null);
            await().untilAsserted(() -> assertThat(ended).containsExactly("first", "second"));
        }
    }

    @Test
    void tasksRunAfterTheClose() {
        ConnectionThreads own = new ConnectionThreads(Thread::new);
        own.close();
        CountDownLatch ran = new CountDownLatch(1);
        own.execute(ran::countDown);
        await().until(() -> ran.getCount() == 0);
    }

    /** The n-th connection fails, for each n: of three calls at most one fails, and each of them ends. */
    @ParameterizedTest
    @EnumSource
    void callThatFindsNoConnectionFailsAndTheNextOneRuns(Failure failure) {
        for (int number = 0; number < MOST_CALLS; number++) {
            Exhaustion exhaustion = Exhaustion.atCall(number, failure);
            RedisScripts scripts = new RedisScripts(
                    connections(without(exhaustion), AMPLE, Exhaustion.whenTold()), (script, unused) -> {});
            int failed = 0;
            for (int i = 0; i < 3; i++) {
                Throwable thrown = outcome(() -> scripts.run(new ScriptCall(PING, bytes("k"))));
                failed += thrown == null ? 0 : 1;
                assertThat(thrown == null || thrown instanceof RedisCallException)
                        .as("call " + i + " with failure " + number + ": " + thrown)
                        .isTrue();
            }
            assertThat(failed).isLessThanOrEqualTo(1);
            if (exhaustion.failed() == 0) {
                assertThat(number).isPositive();
                return;
            }
        }
        throw new AssertionError("More than " + MOST_CALLS + " connections for three calls");
    }

    @Test
    void connectionIsReplacedWithoutAnotherThread() {
        Exhaustion exhaustion = Exhaustion.whenTold();
        RedisScripts scripts = new RedisScripts(connections(application, SHORT, exhaustion), (script, failure) -> {});
        exhaustion.begin();
        await().until(() -> outcome(() -> scripts.run(new ScriptCall(PING, bytes("k")))) == null);
        long before = network.traffic().connections();

        network.halfOpen(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);
        assertThat(outcome(() -> scripts.run(new ScriptCall(PING, bytes("k"))))).isInstanceOf(RedisCallException.class);
        await().until(() -> outcome(() -> scripts.run(new ScriptCall(PING, bytes("k")))) == null);
        assertThat(network.traffic().connections()).isGreaterThan(before);
    }

    /** Null for a reply; fails if the call does not end. */
    private static @Nullable Throwable outcome(Supplier<CompletableFuture<?>> call) {
        Throwable thrown = catchThrowable(() -> call.get().get(60, TimeUnit.SECONDS));
        assertThat(thrown instanceof TimeoutException).as("never ends").isFalse();
        return thrown == null || thrown.getCause() == null || thrown instanceof RedisCallException
                ? thrown
                : thrown.getCause();
    }

    @ParameterizedTest
    @EnumSource
    void subscriptionThatFindsNoConnectionIsTriedAgain(Failure failure) {
        LettuceConnectionFactory failing = without(Exhaustion.atCall(0, failure));
        RedisSignals signals = signals(Exhaustion.whenTold(), failing);
        signals.start();
        awaitSubscribers(1);
    }

    @Test
    void signalsAreSubscribedWithoutAnotherThread() {
        Exhaustion exhaustion = Exhaustion.whenTold();
        RedisSignals signals = signals(exhaustion, application);
        exhaustion.begin();
        network.refuse();
        signals.start();
        await().until(() -> exhaustion.failed() > 1);
        network.pass();
        awaitSubscribers(1);

        long before = network.traffic().connections();
        nanos.addAndGet(Duration.ofSeconds(11).toNanos());
        for (int heartbeat = 0; heartbeat < 3; heartbeat++) {
            signals.afterHeartbeat();
        }
        await().until(() -> network.traffic().connections() > before);
        awaitSubscribers(1);
    }

    @Test
    void listenerThatFailsByAnErrorDoesNotSilenceItsNeighbours() {
        RedisSignals signals = signals(Exhaustion.whenTold(), application);
        Shard shard = Shard.single("t");
        Set<Long> heard = ConcurrentHashMap.newKeySet();
        signals.listen(shard, new HeadListener(heard) {
            @Override
            public void headAt(long dueMillis) {
                throw new InternalError("for the test");
            }
        });
        signals.listen(shard, new HeadListener(heard));
        signals.start();
        awaitSubscribers(1);
        redis.command(
                "PUBLISH",
                KEYS.signalChannel(),
                "h " + new String(KEYS.of(shard).signal(), UTF_8) + " 7");
        await().until(() -> heard.contains(7L));
    }

    private QueueConnections connections(LettuceConnectionFactory factory, Duration timeout, Exhaustion exhaustion) {
        QueueConnections made = new QueueConnections(
                factory, new Settings(timeout, Duration.ofMillis(100)), exhaustion.threads(), System::nanoTime);
        open.add(made);
        return made;
    }

    /** A factory whose connections fail. */
    private LettuceConnectionFactory without(Exhaustion exhaustion) {
        ClientResources resources = ClientResources.builder()
                .socketAddressResolver(exhaustion.connections())
                .build();
        open.add(() -> resources.shutdown(0, 0, TimeUnit.SECONDS));
        return new LettuceConnectionFactory(
                new RedisStandaloneConfiguration(network.host(), network.port()),
                LettuceClientConfiguration.builder().clientResources(resources).build());
    }

    private RedisSignals signals(Exhaustion exhaustion, LettuceConnectionFactory factory) {
        RedisSignals signals = new RedisSignals(
                connections(factory, AMPLE, exhaustion), KEYS, "node-1", Duration.ofSeconds(10), nanos::get);
        open.add(0, signals);
        return signals;
    }

    private void awaitSubscribers(long count) {
        await().until(() -> redis.command("PUBSUB", "NUMSUB", KEYS.signalChannel()) instanceof List<?> reply
                && Long.valueOf(count).equals(reply.get(1)));
    }
}
