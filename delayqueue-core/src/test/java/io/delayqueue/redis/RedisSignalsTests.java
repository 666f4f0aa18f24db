package io.delayqueue.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.redis.SignalSource.Subscription;
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

/** Scripts on the queue's own connections. */
@Timeout(60)
class RedisSignalsTests {

    static final Duration VALIDITY = Duration.ofSeconds(10);

    static RedisServerProcess redis;

    private final KeySpace keys = new KeySpace("test");
    final Shard shard = Shard.single("orders {1}");
    final AtomicLong nanos = new AtomicLong(42);
    final Recorder recorder = new Recorder();
    FaultProxy network;
    private OwnConnections own;
    RedisSignals signals;

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
        own = OwnConnections.lettuce(network.port());
        signals = new RedisSignals(own.connections(), keys, "node-1", VALIDITY, nanos::get);
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
    void rejectedSubscriptionIsTriedAgainAndLeavesNoConnection() {
        redis.command("ACL", "LOG", "RESET");
        redis.command("ACL", "SETUSER", "default", "resetchannels");
        try {
            signals.listen(shard, recorder);
            signals.start();
            await().until(() -> !((List<?>) redis.command("ACL", "LOG")).isEmpty());
        } finally {
            redis.command("ACL", "SETUSER", "default", "allchannels");
        }

        await().until(() -> recorder.heard.contains("resubscribed"));
        await().untilAsserted(() -> assertThat(network.openConnections()).isOne());
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

        nanos.addAndGet(VALIDITY.toNanos() + 1);
        signals.afterHeartbeat();
        signals.afterHeartbeat();
        assertThat(recorder.heard).isEmpty();
        signals.afterHeartbeat();

        awaitResubscription();
    }

    /** Changes of a node request heartbeats at once. Their canaries may arrive later than all of them. */
    @Test
    void heartbeatsInQuickSuccessionReplaceNoSubscription() {
        signals.listen(shard, recorder);
        start(recorder);

        for (int heartbeat = 0; heartbeat < 5; heartbeat++) {
            signals.afterHeartbeat();
        }

        await().until(() -> {
            publish("h " + kind(shard) + " 5");
            return recorder.heard.contains("head 5");
        });
        assertThat(recorder.heard).doesNotContain("resubscribed");
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

    @Test
    void whatIsNotASignalIsIgnored() {
        signals.listen(shard, new Recorder() {
            @Override
            public void headAt(long dueMillis) {
                throw new IllegalStateException("on purpose");
            }
        });
        signals.listen(shard, recorder);
        start(recorder);

        List.of(
                        "",
                        " ",
                        "h",
                        "h x",
                        "h " + kind(shard),
                        "h " + kind(shard) + " soon",
                        "h nobody 1",
                        "z a b",
                        "c other",
                        "s")
                .forEach(this::publish);
        publish("h " + kind(shard) + " 1");

        await().until(() -> !recorder.heard.isEmpty());
        assertThat(recorder.heard).containsExactly("head 1");
    }

    @Test
    void closedListenerHearsNothing() {
        Recorder gone = new Recorder();
        Subscription subscription = signals.listen(shard, gone);
        signals.listen(shard, recorder);
        start(recorder, gone);
        subscription.close();
        subscription.close();

        publish("h " + kind(shard) + " 1");

        await().until(() -> recorder.heard.contains("head 1"));
        assertThat(gone.heard).isEmpty();
    }

    @Test
    void ownCanaryConfirmsForItsValidity() {
        start();
        assertThat(signals.confirmed()).isFalse();

        publish("c node-2");
        publish("c node-1");
        await().until(signals::confirmed);

        nanos.addAndGet(VALIDITY.toNanos());
        assertThat(signals.confirmed()).isTrue();
        nanos.addAndGet(1);
        assertThat(signals.confirmed()).isFalse();

        publish("c node-2");
        publish("c node-1");
        await().until(signals::confirmed);
    }

    @Test
    void subscriptionThatHearsItsCanariesIsKept() {
        signals.listen(shard, recorder);
        start(recorder);
        long connections = network.traffic().connections();

        for (int heartbeat = 0; heartbeat < 10; heartbeat++) {
            nanos.addAndGet(VALIDITY.toNanos() + 1);
            publish("c node-1");
            await().until(signals::confirmed);
            signals.afterHeartbeat();
        }

        assertThat(network.traffic().connections()).isEqualTo(connections);
        assertThat(recorder.heard).isEmpty();
    }
}
