package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.MovableTasks;
import io.delayqueue.container.MovableTime;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisSignals;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.QueueOnRedis;
import io.delayqueue.template.RedisTest;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A receiver on a real Redis, with signals, and with tasks on one thread of the test. */
abstract class ReceiveTest extends RedisTest {

    static final Duration LEASE = Duration.ofHours(1);
    static final Duration LONG = Duration.ofHours(2);
    static final Duration SWEEP = Duration.ofMinutes(10);

    /** Reclaims overdue leases at once. Time passes only if the test says so: no sweep and no timeout affects others. */
    static final ReceiveSettings SETTINGS =
            new ReceiveSettings(SWEEP, SWEEP, 3, 2, CrashLimits.DEFAULTS, Duration.ZERO);

    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final MovableTime time = new MovableTime();
    MovableTasks tasks;
    RedisSignals signals;
    DefaultDelayQueueReceiver receiver;
    DelayQueueTemplate template;
    private Duration passed = Duration.ZERO;

    @BeforeEach
    void begin() {
        tasks = new MovableTasks(time, (task, failure) -> failures.add(failure));
        signals =
                new RedisSignals(queue.connections, queue.keySpace, "test", Duration.ofMinutes(1), SystemClock::nanos);
        CompletableFuture<Void> subscribed = new CompletableFuture<>();
        signals.onChange(() -> subscribed.complete(null));
        signals.start();
        join(subscribed);
        receiver = builder().build();
        template = queue.template();
    }

    @AfterEach
    void end() {
        receiver.close();
        signals.close();
        tasks.close();
        assertThat(failures).isEmpty();
    }

    DefaultDelayQueueReceiver.Builder builder() {
        return builder(queue.store, queue.topics);
    }

    DefaultDelayQueueReceiver.Builder builder(MessageStore store, TopicRegistry topics) {
        return DefaultDelayQueueReceiver.builder(store, topics, QueueOnRedis.codec(), signals, tasks)
                .events(queue.events)
                .settings(SETTINGS)
                .lease(topic -> LEASE)
                .nanoTime(time);
    }

    /** Moves the clocks of Redis and of the receivers. */
    void pass(Duration length) {
        passed = passed.plus(length);
        queue.clock.setAhead(passed);
        time.jump(length);
    }

    void send(String id, Duration delay) {
        template.send(
                DelayMessage.to("orders").id(id).payload("p" + id).delay(delay).build());
    }

    void sendAll(int count) {
        template.sendAll(IntStream.range(0, count)
                .mapToObj(
                        i -> DelayMessage.to("orders").id("m" + i).payload("p").build())
                .toList());
    }

    LeasedDelivery delivered(String id) {
        send(id, Duration.ZERO);
        return receiveOne();
    }

    List<LeasedDelivery> receiveNow(int max) {
        return receiver.receive("orders", max, Duration.ZERO);
    }

    LeasedDelivery receiveOne() {
        List<LeasedDelivery> deliveries = receiver.receive("orders", 1, LONG);
        assertThat(deliveries).hasSize(1);
        return deliveries.get(0);
    }

    /** A receiver that waits for a message. */
    CompletableFuture<List<LeasedDelivery>> waiting(int max) {
        return receiver.receiveAsync("orders", max, LONG);
    }

    MessageSnapshot found(String id) {
        return template.find("orders", id).orElseThrow();
    }

    TopicCounts counts() {
        return Await.result(queue.store.count(Shard.single("orders"))).counts();
    }

    List<DeadLetter> deadLetters() {
        return Await.result(queue.store.deadLetters(Shard.single("orders"), new DeadLetterQuery.Page(null, 0, 10)));
    }

    /** Waits until no task and no script call is due or in progress. */
    void awaitAsleep() {
        await().until(() -> {
            int before = tasks.calls();
            return tasks.areIdle() && !queue.isCalling() && tasks.areIdle() && tasks.calls() == before;
        });
    }

    /** Waits until the receivers keep no task. */
    void awaitNoTasks() {
        awaitAsleep();
        pass(Duration.ofSeconds(1));
        await().until(() -> tasks.scheduled() == 0);
    }

    /** A receipt with the topic and the id of another message. */
    static String receipt(String topic, String id, LeasedDelivery delivery) {
        return new Receipt(topic, id, delivery(delivery)).toString();
    }

    /** The part of a receipt that identifies the delivery. */
    static String delivery(LeasedDelivery delivery) {
        return Objects.requireNonNull(Receipt.parse(delivery.receipt())).delivery();
    }

    static <T> T join(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
    }

    static List<String> ids(CompletableFuture<List<LeasedDelivery>> received) {
        return join(received).stream().map(LeasedDelivery::id).toList();
    }
}
