package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What holds with each client library. */
@Timeout(60)
abstract class SignalSourceContract {

    static final Duration VALIDITY = Duration.ofSeconds(10);

    static RedisServerProcess redis;

    private final KeySpace keys = new KeySpace("test");
    final Shard shard = Shard.single("orders {1}");
    final AtomicLong nanos = new AtomicLong(42);
    final Recorder recorder = new Recorder();
    FaultProxy network;
    private OwnConnections own;
    RedisSignals signals;

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
        network = FaultProxy.inFrontOf(redis);
        own = connect(network.port());
        signals = new RedisSignals(own.connections(), keys, own.executor(), "node-1", VALIDITY, nanos::get);
    }

    @AfterEach
    void close() throws Exception {
        signals.close();
        own.close();
        network.close();
        await().until(() -> subscribers() == 0);
    }

    @Test
    void signalsReachTheListenersOfTheirQueue() {
        Recorder deadLettered = new Recorder();
        signals.listen(shard, recorder);
        signals.listen(shard.notifications(), deadLettered);
        start(recorder, deadLettered);

        publish("h " + kind(shard) + " 1764000000123");
        publish("s " + kind(shard) + " consumer-9");
        publish("h " + kind(shard.notifications()) + " 7");

        await().until(() -> deadLettered.heard.size() == 1);
        assertThat(recorder.heard).containsExactly("head 1764000000123", "left consumer-9");
        assertThat(deadLettered.heard).containsExactly("head 7");
    }

    @Test
    void startingWhileRedisIsUnavailableSubscribesLater() {
        network.refuse();
        signals.listen(shard, recorder);
        signals.start();
        signals.start();
        assertThat(signals.confirmed()).isFalse();

        network.pass();

        await().until(() -> recorder.heard.contains("resubscribed"));
        assertThat(subscribers()).isOne();
    }

    @Test
    void killedSubscriptionIsReplacedAndListenersAreNotified() {
        signals.listen(shard, recorder);
        start(recorder);

        redis.command("CLIENT", "KILL", "TYPE", "pubsub");

        awaitResubscription();
    }

    @Test
    void deafSubscriptionIsMadeAnewAfterTwoHeartbeats() {
        signals.listen(shard, recorder);
        start(recorder);
        network.halfOpen(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);

        signals.afterHeartbeat();
        signals.afterHeartbeat();
        assertThat(recorder.heard).isEmpty();
        signals.afterHeartbeat();

        awaitResubscription();
    }

    @Test
    void stoppedSubscriptionEndsAndCanBeStartedAgain() {
        signals.listen(shard, recorder);
        start(recorder);
        publish("c node-1");
        await().until(signals::confirmed);

        signals.stop();
        assertThat(signals.confirmed()).isFalse();
        await().until(() -> subscribers() == 0);
        signals.stop();

        signals.start();
        awaitResubscription();
    }

    void start(Recorder... recorders) {
        signals.start();
        await().until(() -> subscribers() == 1);
        for (Recorder told : recorders) {
            await().until(() -> told.heard.contains("resubscribed"));
            told.heard.clear();
        }
    }

    private void awaitResubscription() {
        await().until(() -> recorder.heard.contains("resubscribed"));
        await().ignoreExceptions().until(() -> {
            publish("h " + kind(shard) + " 5");
            return recorder.heard.contains("head 5");
        });
    }

    private long subscribers() {
        List<?> reply = (List<?>) redis.command("PUBSUB", "NUMSUB", keys.signalChannel());
        return (Long) reply.get(1);
    }

    void publish(String signal) {
        redis.command("PUBLISH", keys.signalChannel(), signal);
    }

    String kind(Shard of) {
        return new String(keys.of(of).signal(), StandardCharsets.UTF_8);
    }

    static class Recorder implements SignalListener {

        final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public void headAt(long dueMillis) {
            heard.add("head " + dueMillis);
        }

        @Override
        public void dueMessagesLeft(String consumer) {
            heard.add("left " + consumer);
        }

        @Override
        public void resubscribed() {
            heard.add("resubscribed");
        }
    }
}
