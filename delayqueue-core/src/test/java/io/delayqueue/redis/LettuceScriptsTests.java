package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Durability;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.test.redis.Direction;
import io.lettuce.core.ClientOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class LettuceScriptsTests extends ScriptRunnerContract {

    @Override
    OwnConnections connect(int port) {
        return OwnConnections.lettuce(port);
    }

    @Test
    void onlyTheFirstUseNeedsAThread() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        QueueConnections connections = new QueueConnections(
                own().application(), QueueConnections.Settings.defaults(), tasks::add, System::nanoTime);
        RedisScripts scripts = new RedisScripts(connections);

        CompletableFuture<List<Object>> reply = scripts.run(new ScriptCall(INCREMENT, KEY));
        assertThat(network().traffic().connections()).isZero();
        assertThat(tasks).hasSize(1);
        tasks.remove().run();

        assertThat(reply.join()).containsExactly(1L);
        assertThat(scripts.run(new ScriptCall(INCREMENT, KEY)).join()).containsExactly(2L);
        assertThat(tasks).isEmpty();
        assertThat(network().traffic().connections()).isOne();
        connections.close();
    }

    @Test
    void silentConnectionIsReplacedAfterTwoTimeouts() {
        giveUpSoon();
        Await.call(() -> scripts().run(new ScriptCall(INCREMENT, KEY)));
        network().halfOpen(Direction.SERVER_TO_CLIENT);

        assertThat(failure(INCREMENT).kind()).isEqualTo(Kind.UNKNOWN);
        assertThat(network().traffic().connections()).isOne();
        assertThat(failure(INCREMENT).kind()).isEqualTo(Kind.UNKNOWN);

        await().until(() -> network().traffic().connections() == 2);
        await().ignoreExceptions()
                .until(() -> !Await.call(() -> scripts().run(new ScriptCall(INCREMENT, KEY)))
                        .isEmpty());
    }

    @Test
    void connectionIsReplacedOnceForAllWhoWaited() throws Exception {
        try (OwnConnections own = OwnConnections.impatient(
                new LettuceConnectionFactory("127.0.0.1", network().port()))) {
            RedisScripts scripts = own.scripts();
            Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY)));
            network().halfOpen(Direction.SERVER_TO_CLIENT);

            List<CompletableFuture<?>> waiting = IntStream.range(0, 20)
                    .<CompletableFuture<?>>mapToObj(i -> i % 2 == 0
                            ? CompletableFuture.supplyAsync(
                                    () -> Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY))), own.executor())
                            : scripts.run(new ScriptCall(INCREMENT, KEY)))
                    .toList();
            waiting.forEach(call -> call.exceptionally(failure -> null).join());

            await().ignoreExceptions()
                    .until(() -> !Await.call(() -> scripts.run(new ScriptCall(INCREMENT, KEY)))
                            .isEmpty());
            assertThat(network().traffic().connections()).isEqualTo(2);
        }
    }

    @Test
    void replacedConnectionIsClosedWhenItsLastCommandMustHaveEnded() {
        giveUpSoon();
        Await.call(() -> scripts().run(new ScriptCall(INCREMENT, KEY)));
        own().connections().reset();

        await().until(() -> network().traffic().connections() == 2);
        await().until(() -> network().openConnections() == 1);
        assertThat(Await.call(() -> scripts().run(new ScriptCall(INCREMENT, KEY))))
                .containsExactly(2L);
    }

    @Test
    void resetsAreAtLeastTheReconnectDelayApart() {
        AtomicLong nanos = new AtomicLong();
        QueueConnections connections = new QueueConnections(
                own().application(), QueueConnections.Settings.defaults(), Runnable::run, nanos::get);
        connections.reset();
        assertThat(network().traffic().connections()).isZero();
        Await.call(() -> connections.connect(new ScriptCall(INCREMENT, KEY)));

        connections.reset();
        connections.reset();
        nanos.addAndGet(999_999_999);
        connections.reset();
        assertThat(network().traffic().connections()).isEqualTo(2);
        nanos.addAndGet(1);
        connections.reset();
        assertThat(network().traffic().connections()).isEqualTo(3);
        connections.close();
        await().until(() -> network().openConnections() == 0);
    }

    @Test
    void slowDialIsSharedByAllWhoWait() {
        network().delay(Duration.ofMillis(100));

        List<CompletableFuture<List<Object>>> replies = IntStream.range(0, 20)
                .mapToObj(i -> i % 2 == 0
                        ? scripts().run(new ScriptCall(INCREMENT, KEY))
                        : CompletableFuture.supplyAsync(
                                () -> Await.call(() -> scripts().run(new ScriptCall(INCREMENT, KEY))),
                                own().executor()))
                .toList();
        replies.forEach(CompletableFuture::join);

        assertThat(network().traffic().connections()).isOne();
    }

    /** The commands behind the script do not fit into the application's queue. */
    @Test
    void sizeOfTheRequestQueueDoesNotLimitAConfirmedCall() throws Exception {
        LettuceConnectionFactory application = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", network().port()),
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
}
