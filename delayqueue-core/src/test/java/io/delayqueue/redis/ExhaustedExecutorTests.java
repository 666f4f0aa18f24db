package io.delayqueue.redis;

import static io.delayqueue.redis.OwnConnections.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.Exhaustion;
import io.delayqueue.container.Exhaustion.Failure;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
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

/** Threads and connections that cannot be had: each call ends, and what the queue does by itself is tried again. */
@EmbeddedRedis
class ExhaustedExecutorTests {

    private static final LuaScript PING = OwnConnections.script("ping", "return {redis.call('PING')}");
    private static final int MOST_CALLS = 40;
    /** For calls that must not time out. */
    private static final Duration AMPLE = Duration.ofSeconds(5);

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final KeySpace KEYS = new KeySpace("exhausted");

    private final AtomicLong nanos = new AtomicLong();
    private final RedisServerProcess redis;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<AutoCloseable> open = new ArrayList<>();
    private FaultProxy network;
    private LettuceConnectionFactory application;

    ExhaustedExecutorTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void begin() {
        FirstConnection.make(redis.port());
        network = FaultProxy.inFrontOf(redis);
        application = new LettuceConnectionFactory(network.host(), network.port());
        application.afterPropertiesSet();
        application.start();
    }

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        application.destroy();
        network.close();
        threads.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource
    void callThatFindsNoThreadOrConnectionFailsAndTheNextOneRuns(Failure failure) {
        sweep(failure, exhaustion -> connections(application, AMPLE, exhaustion));
        sweep(failure, exhaustion -> connections(without(exhaustion), AMPLE, Exhaustion.whenTold()));
    }

    /** The n-th thread or connection fails, for each n: of three calls at most one fails, and each of them ends. */
    private void sweep(Failure failure, Function<Exhaustion, QueueConnections> made) {
        for (int number = 0; number < MOST_CALLS; number++) {
            Exhaustion exhaustion = Exhaustion.atCall(number, failure);
            RedisScripts scripts = new RedisScripts(made.apply(exhaustion));
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
        throw new AssertionError("More than " + MOST_CALLS + " threads or connections for three calls");
    }

    @Test
    void callEndsThoughTheNewConnectionFindsNoThread() {
        Exhaustion exhaustion = Exhaustion.whenTold();
        RedisScripts scripts = new RedisScripts(connections(application, exhaustion));
        await().until(() -> outcome(() -> scripts.run(new ScriptCall(PING, bytes("k")))) == null);

        network.halfOpen(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);
        exhaustion.begin();
        for (int i = 0; i < 4; i++) {
            assertThat(outcome(() -> scripts.run(new ScriptCall(PING, bytes("k")))))
                    .isInstanceOf(RedisCallException.class);
        }
        assertThat(exhaustion.failed()).isPositive();

        exhaustion.end();
        network.pass();
        await().until(() -> outcome(() -> scripts.run(new ScriptCall(PING, bytes("k")))) == null);
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
    void subscriptionThatFindsNoThreadOrConnectionIsTriedAgain(Failure failure) {
        for (int number = 0; number < 2; number++) {
            Exhaustion threadless = Exhaustion.atCall(number, failure);
            assertSubscribes(signals(connections(application, Exhaustion.whenTold()), threadless));
            LettuceConnectionFactory failing = without(Exhaustion.atCall(number, failure));
            assertSubscribes(signals(connections(failing, Exhaustion.whenTold()), Exhaustion.whenTold()));
        }
    }

    private void assertSubscribes(RedisSignals signals) {
        signals.start();
        awaitSubscribers(1);
        signals.stop();
        awaitSubscribers(0);
    }

    @Test
    void lostSubscriptionComesBackThoughNoThreadWasToBeHadMeanwhile() {
        Exhaustion exhaustion = Exhaustion.whenTold();
        RedisSignals signals = signals(connections(application, Exhaustion.whenTold()), exhaustion);
        network.refuse();
        exhaustion.begin();
        signals.start();
        await().until(() -> exhaustion.failed() > 1);
        network.pass();
        exhaustion.end();
        awaitSubscribers(1);
    }

    @Test
    void deafSubscriptionIsClosedThoughNoThreadIsToBeHad() {
        Exhaustion exhaustion = Exhaustion.whenTold();
        RedisSignals signals = signals(connections(application, Exhaustion.whenTold()), exhaustion);
        signals.start();
        awaitSubscribers(1);
        exhaustion.begin();
        nanos.addAndGet(Duration.ofSeconds(11).toNanos());
        for (int heartbeat = 0; heartbeat < 3; heartbeat++) {
            signals.afterHeartbeat();
        }
        awaitSubscribers(0);
        exhaustion.end();
        awaitSubscribers(1);
    }

    @Test
    void listenerThatFailsByAnErrorDoesNotSilenceItsNeighbours() {
        RedisSignals signals = signals(connections(application, Exhaustion.whenTold()), Exhaustion.whenTold());
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

    private QueueConnections connections(LettuceConnectionFactory factory, Exhaustion exhaustion) {
        return connections(factory, SHORT, exhaustion);
    }

    private QueueConnections connections(LettuceConnectionFactory factory, Duration timeout, Exhaustion exhaustion) {
        QueueConnections made = new QueueConnections(
                factory, new Settings(timeout, Duration.ofMillis(100)), exhaustion.executor(threads), System::nanoTime);
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

    private RedisSignals signals(QueueConnections connections, Exhaustion exhaustion) {
        RedisSignals signals = new RedisSignals(
                connections, KEYS, exhaustion.executor(threads), "node-1", Duration.ofSeconds(10), nanos::get);
        open.add(0, signals);
        return signals;
    }

    private void awaitSubscribers(long count) {
        await().until(() -> redis.command("PUBSUB", "NUMSUB", KEYS.signalChannel()) instanceof List<?> reply
                && Long.valueOf(count).equals(reply.get(1)));
    }
}
