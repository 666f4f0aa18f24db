package io.delayqueue.metrics;

import static io.delayqueue.metrics.DelayQueueMeters.DEAD_LETTERS_DROPPED;
import static io.delayqueue.metrics.DelayQueueMeters.DELIVERIES_RELEASED;
import static io.delayqueue.metrics.DelayQueueMeters.DELIVERY_HANDLING;
import static io.delayqueue.metrics.DelayQueueMeters.DELIVERY_LATENESS;
import static io.delayqueue.metrics.DelayQueueMeters.LEASES_LOST;
import static io.delayqueue.metrics.DelayQueueMeters.LEASES_RECLAIMED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_ACKNOWLEDGED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_DEAD;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_POSTPONED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_REPLAYED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_RETRIED;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_SENT;
import static io.delayqueue.metrics.DelayQueueMeters.MESSAGE_DURATION;
import static io.delayqueue.metrics.DelayQueueMeters.NOTIFICATIONS_DROPPED;
import static io.delayqueue.metrics.DelayQueueMeters.PERMITS_MAX;
import static io.delayqueue.metrics.DelayQueueMeters.PERMITS_USED;
import static io.delayqueue.metrics.DelayQueueMeters.SETTLEMENTS_REJECTED;
import static io.delayqueue.metrics.DelayQueueMeters.SWEEPS_FOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.annotation.DeadLetterListener;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.QueueKind;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.LeasedDelivery;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The meters of a process that handles messages, with a real Redis. */
@EmbeddedRedis
class DeliveryMetersTests extends MeterTest {

    private static final String[] LISTENER = {"topic", "t", "listener", "l"};
    private static final String[] RECEIVED = {"topic", "t", "listener", "none"};

    private final RedisServerProcess redis;

    DeliveryMetersTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    /** Does what the payload requests. */
    static class Obedient {

        final CountDownLatch release = new CountDownLatch(1);
        final Set<String> running = ConcurrentHashMap.newKeySet();

        @DelayListener(topic = "t", id = "l", concurrency = "${test.concurrency:4}", maxAttempts = "2")
        void handle(String order, Delivery delivery) throws InterruptedException {
            running.add(delivery.id());
            if (order.equals("wait")) {
                assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
            } else if (order.equals("fail") || (order.equals("fail once") && delivery.attempt() == 1)) {
                throw new IllegalStateException("as told");
            } else if (order.equals("postpone once") && delivery.postponements() == 0) {
                assertThat(delivery.acknowledgement().postpone(Duration.ZERO)).isNotNull();
            }
        }
    }

    static class Attentive extends Obedient {

        @DeadLetterListener(topic = "t", id = "deadLetters")
        void gaveUp(DeadLetter deadLetter) {
            if (deadLetter.messageId().equals("unwanted")) {
                throw new IllegalStateException("as told");
            }
        }
    }

    static class OfTwoTopics {

        final Queue<String> handled = new ConcurrentLinkedQueue<>();
        final Queue<String> dead = new ConcurrentLinkedQueue<>();

        @DelayListener(
                topic = {"eu", "${test.second-topic:us}"},
                id = "regions")
        void handle(String order, Delivery delivery) {
            if (order.equals("fail")) {
                throw new IllegalStateException("as told");
            }
            handled.add(delivery.topic());
        }

        @DeadLetterListener(
                topic = {"eu", "us"},
                id = "regionsDead")
        void gaveUp(DeadLetter deadLetter) {
            dead.add(deadLetter.topic());
        }
    }

    private void send(String id, String order) {
        delayQueue().send(DelayMessage.to("t").id(id).payload(order).build());
    }

    private void publish(Consumer<DelayQueueEvents> event) {
        bean(EventBus.class).publish(event);
    }

    private Obedient listener() {
        return bean(Obedient.class);
    }

    // ---- common events ---------------------------------------------------------------------------------------------

    @Test
    @TestsMeters({MESSAGES_ACKNOWLEDGED, DELIVERY_LATENESS, DELIVERY_HANDLING, MESSAGE_DURATION})
    void acknowledgedMessageIsCountedAndTimed() {
        start(redis, Obedient.class, NO_SAMPLES);
        delayQueue().send("t", "please");
        awaitValue(1, MESSAGES_ACKNOWLEDGED, LISTENER);

        assertThat(value(DELIVERY_LATENESS, LISTENER)).isEqualTo(1);
        assertThat(value(DELIVERY_HANDLING, "topic", "t", "listener", "l", "outcome", "acknowledged"))
                .isEqualTo(1);
        assertThat(value(DELIVERY_HANDLING, "outcome", "retried")).isZero();
        assertThat(value(MESSAGE_DURATION, LISTENER)).isEqualTo(1);
        assertThat(value(MESSAGES_RETRIED) + value(MESSAGES_DEAD)).isZero();

        Recipient recipient = new Recipient("timed", QueueKind.MESSAGES, "l");
        publish(events -> events.started(recipient, "m", 1, Duration.ofMinutes(1)));
        publish(events -> events.acknowledged(recipient, "m", 1, Duration.ofMinutes(2), Duration.ofMinutes(3)));
        for (DelayQueueMeters meter : List.of(DELIVERY_LATENESS, DELIVERY_HANDLING, MESSAGE_DURATION)) {
            assertThat(registry().get(meter.getName()).tags("topic", "timed").timers().stream()
                            .mapToDouble(timer -> timer.totalTime(TimeUnit.MINUTES))
                            .sum())
                    .as(meter.getName())
                    .isEqualTo(meter == DELIVERY_LATENESS ? 1 : meter == DELIVERY_HANDLING ? 2 : 3);
        }
    }

    @Test
    @TestsMeters({MESSAGES_RETRIED, MESSAGES_DEAD, DELIVERY_HANDLING})
    void failedAttemptsAreRetriedAndThenDeadLettered() {
        start(redis, Obedient.class, NO_SAMPLES);
        send("m", "fail");
        awaitValue(1, MESSAGES_DEAD, LISTENER);

        assertThat(value(MESSAGES_RETRIED, LISTENER)).isEqualTo(1);
        assertThat(value(DELIVERY_HANDLING, "outcome", "retried")).isEqualTo(1);
        assertThat(value(DELIVERY_HANDLING, "outcome", "dead")).isEqualTo(1);
        assertThat(value(DELIVERY_LATENESS, LISTENER)).isEqualTo(2);
        assertThat(value(MESSAGES_ACKNOWLEDGED)).isZero();
    }

    @Test
    @TestsMeters(MESSAGES_POSTPONED)
    void postponedMessageIsCountedAndNotRetried() {
        start(redis, Obedient.class, NO_SAMPLES);
        send("m", "postpone once");
        awaitValue(1, MESSAGES_ACKNOWLEDGED, LISTENER);

        assertThat(value(MESSAGES_POSTPONED, LISTENER)).isEqualTo(1);
        assertThat(value(DELIVERY_HANDLING, "outcome", "postponed")).isEqualTo(1);
        assertThat(value(MESSAGES_RETRIED) + value(MESSAGES_DEAD)).isZero();
    }

    @Test
    @TestsMeters(MESSAGES_REPLAYED)
    void replayedDeadLetterIsCounted() {
        start(redis, Obedient.class, NO_SAMPLES);
        send("m", "fail");
        awaitValue(1, MESSAGES_DEAD, LISTENER);
        String deadLetter = bean(DelayQueueAdmin.class)
                .deadLetters("t", 1)
                .deadLetters()
                .get(0)
                .deadLetterId();
        bean(DelayQueueAdmin.class).replay("t", deadLetter, Duration.ofHours(1));
        bean(DelayQueueAdmin.class).replay("t", deadLetter, Duration.ofHours(1));

        assertThat(value(MESSAGES_REPLAYED, "topic", "t")).isEqualTo(1);
        assertThat(value(MESSAGES_SENT, "topic", "t")).as("a replay is no send").isEqualTo(1);
    }

    @Test
    @TestsMeters({PERMITS_USED, PERMITS_MAX})
    void permitsAreUsedByRunningHandlers() {
        start(redis, Obedient.class, NO_SAMPLES, "test.concurrency=3");
        assertThat(value(PERMITS_MAX, LISTENER)).isEqualTo(3);
        assertThat(value(PERMITS_USED, LISTENER)).isZero();
        send("a", "wait");
        send("b", "wait");
        awaitValue(2, PERMITS_USED, LISTENER);
        listener().release.countDown();
        awaitValue(0, PERMITS_USED, LISTENER);
    }

    // ---- rare events -----------------------------------------------------------------------------------------------

    @Test
    @TestsMeters({SETTLEMENTS_REJECTED, DELIVERY_HANDLING})
    void settlementOfACancelledMessageIsRejected() {
        start(redis, Obedient.class, NO_SAMPLES);
        send("m", "wait");
        await().until(() -> listener().running.contains("m"));
        delayQueue().cancel("t", "m");
        listener().release.countDown();

        awaitValue(1, SETTLEMENTS_REJECTED, LISTENER);
        assertThat(value(DELIVERY_HANDLING, "outcome", "rejected")).isEqualTo(1);
    }

    /** Tests of the engine cause these events. */
    @Test
    @TestsMeters({LEASES_LOST, LEASES_RECLAIMED})
    void lostAndReclaimedLeasesAreCounted() {
        start(redis, Obedient.class, NO_SAMPLES);
        Recipient recipient = new Recipient("t", QueueKind.MESSAGES, "l");
        publish(events -> events.leaseLost(recipient, "m", Instant.EPOCH));
        publish(events -> events.reclaimed(recipient, "m"));

        assertThat(value(LEASES_LOST, LISTENER)).isEqualTo(1);
        assertThat(value(LEASES_RECLAIMED, LISTENER)).isEqualTo(1);
    }

    @Test
    @TestsMeters(DELIVERIES_RELEASED)
    void pauseReleasesWaitingDeliveries() {
        start(redis, Obedient.class, NO_SAMPLES, "test.concurrency=1");
        send("quick", "please");
        awaitValue(1, MESSAGES_ACKNOWLEDGED, LISTENER);
        send("running", "wait");
        await().until(() -> listener().running.contains("running"));
        send("waiting", "please");
        await().until(() -> bean(DelayQueueAdmin.class).counts("t").leased() == 2);
        bean(DelayListenerRegistry.class).pause("l");

        awaitValue(1, DELIVERIES_RELEASED, LISTENER);
        listener().release.countDown();
    }

    @Test
    @TestsMeters(SWEEPS_FOUND)
    void messageWithoutASignalIsFoundByASweep() {
        start(
                redis,
                Obedient.class,
                NO_SAMPLES,
                "delayqueue.engine.sweep=500ms",
                "delayqueue.engine.unconfirmed-sweep=500ms");
        // a message that arrives during another poll is found by that poll
        for (int i = 1; value(SWEEPS_FOUND, LISTENER) == 0; i++) {
            assertThat(i).isLessThan(20);
            delayQueue()
                    .send(DelayMessage.to("t")
                            .id("m" + i)
                            .payload("please")
                            .delay(Duration.ofHours(1))
                            .build());
            redis.command("ZADD", namespace() + ":{t:0.0}:schedule", "1000", "m" + i);
            awaitValue(i, MESSAGES_ACKNOWLEDGED, LISTENER);
        }
    }

    @Test
    @TestsMeters(DEAD_LETTERS_DROPPED)
    void deadLetterDroppedByRetentionIsCounted() {
        start(
                redis,
                Obedient.class,
                NO_SAMPLES,
                "delayqueue.dead-letters.max-count=0",
                "delayqueue.dead-letters.prune-interval=100ms");
        send("m", "fail");

        awaitValue(1, DEAD_LETTERS_DROPPED, "topic", "t");
        awaitValue(1, MESSAGES_DEAD, LISTENER); // the pruning may be faster than the reply to the listener
    }

    // ---- dead letters and receives ---------------------------------------------------------------------------------

    @Test
    void eachOfSeveralTopicsHasItsOwnDeliveriesDeadLettersAndMeters() {
        start(redis, OfTwoTopics.class, NO_SAMPLES, "delayqueue.topics[us].max-attempts=1");
        assertThat(bean(DelayListenerRegistry.class)
                        .getContainer("regions-us")
                        .orElseThrow()
                        .options()
                        .maxAttempts())
                .isEqualTo(1);
        delayQueue().send("eu", "please");
        delayQueue().send("us", "please");
        delayQueue().send("us", "fail");

        OfTwoTopics listener = bean(OfTwoTopics.class);
        await().untilAsserted(() -> assertThat(listener.dead).containsExactly("us"));
        for (String topic : List.of("eu", "us")) {
            awaitValue(1, MESSAGES_ACKNOWLEDGED, "topic", topic, "listener", "regions-" + topic);
        }
        assertThat(listener.handled).containsExactlyInAnyOrder("eu", "us");
        awaitValue(1, MESSAGES_DEAD, "topic", "us", "listener", "regions-us");
        awaitValue(1, DELIVERY_HANDLING, "topic", "us", "listener", "regionsDead-us");
        assertThat(value(MESSAGES_DEAD, "topic", "eu")).isZero();
    }

    @Test
    @TestsMeters(NOTIFICATIONS_DROPPED)
    void notificationsCountAsDeliveriesButNotAsMessages() {
        start(redis, Attentive.class, NO_SAMPLES, "delayqueue.listener.max-attempts=2");
        await().until(() -> redis.command("HGET", namespace() + ":{t:0.0}:meta", "notifications") != null);
        send("wanted", "fail");
        send("unwanted", "fail");
        awaitValue(1, NOTIFICATIONS_DROPPED, "topic", "t");
        String[] notifications = {"topic", "t", "listener", "deadLetters", "outcome", "acknowledged"};
        awaitValue(1, DELIVERY_HANDLING, notifications);

        assertThat(value(DELIVERY_HANDLING, "listener", "deadLetters", "outcome", "retried"))
                .isEqualTo(1);
        awaitValue(1, DELIVERY_HANDLING, "listener", "deadLetters", "outcome", "dead");
        awaitValue(2, MESSAGES_DEAD);
        assertThat(value(MESSAGES_ACKNOWLEDGED)).isZero();
        assertThat(value(DELIVERY_LATENESS, "listener", "deadLetters")).isEqualTo(3);
        assertThat(registry()
                        .find(MESSAGES_ACKNOWLEDGED.getName())
                        .tags("listener", "deadLetters")
                        .meters())
                .isEmpty();
    }

    @Test
    @TestsMeters({MESSAGES_ACKNOWLEDGED, MESSAGES_RETRIED, MESSAGES_DEAD, SETTLEMENTS_REJECTED, MESSAGE_DURATION})
    void receivedMessagesCountWithoutAListener() {
        start(redis, SentMetersTests.NoListener.class, NO_SAMPLES);
        receive("a").acknowledge().join();
        receive("b").retry(Duration.ofHours(1)).join();
        receive("c").deadLetter("no").join();
        LeasedDelivery cancelled = receive("d");
        delayQueue().cancel("t", "d");
        cancelled.acknowledge().join();
        receive("e").postpone(Duration.ofHours(1)).join();

        assertThat(value(DELIVERY_LATENESS, RECEIVED)).isEqualTo(5);
        for (DelayQueueMeters meter : new DelayQueueMeters[] {
            MESSAGES_ACKNOWLEDGED,
            MESSAGES_RETRIED,
            MESSAGES_POSTPONED,
            MESSAGES_DEAD,
            SETTLEMENTS_REJECTED,
            MESSAGE_DURATION
        }) {
            assertThat(value(meter, RECEIVED)).as(meter.getName()).isEqualTo(1);
        }
        for (String outcome : new String[] {"acknowledged", "retried", "postponed", "dead", "rejected"}) {
            assertThat(value(DELIVERY_HANDLING, "topic", "t", "listener", "none", "outcome", outcome))
                    .as(outcome)
                    .isEqualTo(1);
        }
    }

    private LeasedDelivery receive(String id) {
        send(id, "please");
        return bean(DelayQueueReceiver.class)
                .receive("t", 1, Duration.ofSeconds(20))
                .get(0);
    }
}
