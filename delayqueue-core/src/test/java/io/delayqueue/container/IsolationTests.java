package io.delayqueue.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Suspects are handled one at a time in a process, beside all other messages. */
class IsolationTests extends NodeTest {

    private static final ListenerOptions ONE_WORKER =
            ListenerOptions.DEFAULTS.toBuilder().concurrency(1).build();

    private final Queue<String> handled = new ConcurrentLinkedQueue<>();
    private final AtomicInteger isolated = new AtomicInteger();
    private final AtomicInteger mostIsolated = new AtomicInteger();

    IsolationTests(RedisServerProcess redis) {
        super(redis);
    }

    private QueueNode node() {
        return add(driven());
    }

    /** Sends messages and writes what crashes leave of them. */
    private void crashed(QueueNode node, String topic, List<String> ids, int crashes) {
        ids.forEach(id -> {
            node.template.send(message(topic, id));
            crashed(redis, node, topic, id, crashes);
        });
    }

    private static void crashed(RedisServerProcess redis, QueueNode node, String topic, String id, int crashes) {
        String deliveries = new String(node.keySpace.of(Shard.single(topic)).deliveries(), UTF_8);
        redis.command("HSET", deliveries, id, "- 0/" + crashes + "/0 " + due(node, topic, id) + " ");
    }

    private void suspects(QueueNode node, String topic, List<String> ids) {
        ids.forEach(id -> {
            node.template.send(message(topic, id));
            suspect(redis, node, topic, id);
        });
    }

    /** Writes what two crashes leave of a message. */
    static void suspect(RedisServerProcess redis, QueueNode node, String topic, String id) {
        crashed(redis, node, topic, id, 2);
        String schedule = new String(node.keySpace.of(Shard.single(topic)).schedule(), UTF_8);
        redis.command("HSET", schedule.replace("schedule", "meta"), "suspects", "1");
        redis.command("ZADD", schedule, Long.toString(due(node, topic, id) + 1_000_000_000_000_000L), id);
        assertThat(node.template.find(topic, id).orElseThrow().state()).isEqualTo(MessageState.SUSPECT);
    }

    private static long due(QueueNode node, String topic, String id) {
        return node.template.find(topic, id).orElseThrow().dueAt().toEpochMilli();
    }

    private static void sendDue(QueueNode node, String topic, int count) {
        node.template.sendAll(
                ids(topic, count).stream().map(id -> message(topic, id)).toList());
    }

    private static List<String> ids(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    /** Counts the suspects that are handled at the same time. */
    private DeliveryHandler counting(DeliveryHandler handler) {
        return deliveries -> {
            boolean suspect = deliveries.get(0).crashes() > 0;
            if (suspect) {
                assertThat(deliveries).hasSize(1);
                mostIsolated.accumulateAndGet(isolated.incrementAndGet(), Math::max);
            }
            try {
                return handler.handle(deliveries);
            } finally {
                deliveries.forEach(delivery -> handled.add(delivery.id()));
                if (suspect) {
                    isolated.decrementAndGet();
                }
            }
        };
    }

    private long handled(String prefix) {
        return handled.stream().filter(id -> id.startsWith(prefix)).count();
    }

    private void awaitRelease() {
        try {
            release.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void oneSuspectOfAllTopicsIsHandledAtATimeAndOthersFlow() {
        QueueNode node = node();
        for (String topic : List.of("a", "b", "c")) {
            suspects(node, topic, ids("suspect-" + topic, 30));
            sendDue(node, topic, 200);
        }
        for (String topic : List.of("a", "b", "c")) {
            ListenerOptions batches =
                    ListenerOptions.DEFAULTS.toBuilder().batchSize(7).build();
            node.listen(topic, topic.equals("c") ? batches : ListenerOptions.DEFAULTS, counting(deliveries -> null));
        }

        await().until(() -> happenings.count("acknowledged") == 690);
        assertThat(handled).hasSize(690).doesNotHaveDuplicates();
        assertThat(mostIsolated).hasValue(1);
    }

    @Test
    void suspectThatTakesLongHoldsUpNoOtherMessage() {
        QueueNode node = node();
        suspects(node, "t", ids("suspect", 3));
        node.listen("t", ONE_WORKER, counting(deliveries -> {
            if (deliveries.get(0).crashes() > 0) {
                awaitRelease();
            }
            return null;
        }));
        await().until(() -> isolated.get() == 1);
        sendDue(node, "t", 500);

        await().until(() -> handled("t") == 500);
        assertThat(handled("suspect")).isZero();
        release.countDown();
        await().until(() -> handled("suspect") == 3);
        assertThat(mostIsolated).hasValue(1);
    }

    @Test
    void postponedSuspectStaysASuspectAndHoldsUpNoOther() {
        QueueNode node = node();
        suspects(node, "t", List.of("suspect0", "suspect1"));
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        node.listen("t", ONE_WORKER, counting(deliveries -> {
            Delivery delivery = deliveries.get(0);
            seen.add(delivery.id() + " " + delivery.crashes() + " " + delivery.postponements());
            if (delivery.id().equals("suspect0") && delivery.postponements() == 0) {
                // the handler runs on, while a poll settles its message and could claim the next suspect
                assertThat(delivery.acknowledgement()
                                .postpone(Duration.ofMillis(200))
                                .join())
                        .isTrue();
            }
            return null;
        }));

        await().until(() -> happenings.count("acknowledged") == 2);
        assertThat(seen).containsExactly("suspect0 2 0", "suspect1 2 0", "suspect0 2 1");
        assertThat(mostIsolated).hasValue(1);
    }

    @Test
    void handlerThatDoesNotReturnKeepsNoOtherSuspectForEver() {
        QueueNode node = node();
        suspects(node, "t", ids("suspect", 2));
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .handlingTime(Duration.ofMinutes(1))
                .build();
        node.listen("t", options, counting(deliveries -> {
            if (deliveries.get(0).id().equals("suspect0") && deliveries.get(0).crashes() == 2) {
                awaitRelease();
            }
            return null;
        }));

        await().until(() -> happenings.count("started suspect0") == 1);
        awaitWhileTimePasses("acknowledged suspect1 1", 1);
        awaitWhileTimePasses("acknowledged suspect0 1", 1);
        assertThat(happenings.of("reclaimed")).containsExactly("reclaimed suspect0");
        release.countDown();
        await().until(() -> happenings.count("gone suspect0") == 1);
    }

    @Test
    void pausedListenerTakesNoSuspectAndPassesTheSlotOn() {
        QueueNode node = node();
        suspects(node, "paused", ids("p", 3));
        ManagedListener paused = node.listen("paused", ONE_WORKER, counting(deliveries -> {
            awaitRelease();
            return null;
        }));
        await().until(() -> isolated.get() == 1);
        paused.pause();
        suspects(node, "t", ids("t", 3));
        node.listen("t", ONE_WORKER, counting(deliveries -> null));
        release.countDown();

        await().until(() -> handled("t") == 3);
        assertThat(handled("p")).isEqualTo(1);
        paused.resume();
        await().until(() -> handled("p") == 3);
        assertThat(mostIsolated).hasValue(1);
    }

    @Test
    void suspectWithoutAThreadIsClaimedAgainWithEachSweepOnly() {
        AtomicBoolean rejects = new AtomicBoolean(true);
        QueueNode node = add(driven().handlers(task -> {
            if (rejects.get()) {
                throw new RejectedExecutionException("no thread");
            }
            task.run();
        }));
        suspects(node, "t", List.of("suspect"));
        long begun = time.getAsLong();
        node.listen("t", ONE_WORKER, counting(deliveries -> null));

        awaitWhileTimePasses("released suspect", 3);
        assertThat(Duration.ofNanos(time.getAsLong() - begun)).isGreaterThanOrEqualTo(STEP.multipliedBy(2));
        rejects.set(false);
        awaitWhileTimePasses("acknowledged suspect 1", 1);
    }

    @Test
    void handlerInIsolationMayStopItsListener() {
        QueueNode node = node();
        suspects(node, "t", List.of("suspect"));
        ListenerOptions patient = ListenerOptions.DEFAULTS.toBuilder()
                .drainTime(Duration.ofHours(1))
                .build();
        CompletableFuture<ManagedListener> listener = new CompletableFuture<>();
        listener.complete(node.listen("t", patient, deliveries -> {
            listener.join().stop().join();
            return null;
        }));

        await().until(() -> happenings.count("acknowledged") == 1);
    }
}
