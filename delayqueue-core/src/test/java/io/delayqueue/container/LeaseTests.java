package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.event.Recipient;
import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.bench.ServerClock;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lease protects deliveries that wait for a worker and deliveries that are handled. */
@EmbeddedRedis
class LeaseTests extends NodeTest {

    private static final Shard SHARD = Shard.single("t");
    private static final ListenerOptions ONE_WORKER = ListenerOptions.DEFAULTS.toBuilder()
            .concurrency(1)
            .prefetchTime(Duration.ofMinutes(2))
            .build();

    private static final Duration LEASE = ListenerOptions.DEFAULTS.lease();
    private static final Duration MORE_THAN_THE_LEASE = LEASE.plusSeconds(10);
    private static final Duration HANDLING_TIME = Duration.ofMinutes(1);
    /** A sweep, and less than the time until the renewal of a lease. */
    private static final Duration STEP = EngineSettings.DEFAULTS.sweep();

    private static final int FAST = 50;

    private final ServerClock clock;
    private final MovableTime time;

    LeaseTests(RedisServerProcess redis) {
        super(redis);
        clock = new ServerClock(redis);
        time = new MovableTime(clock);
    }

    private QueueNode node(Pacing pacing) {
        return node(pacing, new GatedStore());
    }

    private QueueNode node(Pacing pacing, GatedStore store) {
        return add(QueueNode.on(redis.port())
                .scripts(clock::over)
                .store(store)
                .settings(pacing.settings())
                .time(time));
    }

    @Test
    @Tag("long")
    @Tag("core")
    void backlogSlowerThanItsLeaseLosesNoMessageAndNoAttempt() {
        QueueNode node = add(QueueNode.on(redis.port()));
        sendDue(node, "steady", 60);
        sendDue(node, "faltering", 600);
        ListenerOptions steady =
                ONE_WORKER.toBuilder().lease(Duration.ofSeconds(2)).build();
        ListenerOptions faltering =
                ONE_WORKER.toBuilder().lease(Duration.ofSeconds(1)).build();
        node.listen("steady", steady, deliveries -> {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            return null;
        });
        // fast ones first, so that many slow ones are claimed in advance
        node.listen("faltering", faltering, deliveries -> {
            int number = Integer.parseInt(deliveries.get(0).id().replace("faltering", ""));
            if (number >= 575) {
                LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            }
            return null;
        });

        await().until(() -> happenings.count("acknowledged") == 660);
        assertThat(happenings.of("started"))
                .hasSize(660)
                .doesNotHaveDuplicates()
                .allMatch(line -> line.endsWith(" 1"));
        assertThat(happenings.of("acknowledged")).doesNotHaveDuplicates();
        assertThat(happenings.of("deadLettered")).isEmpty();
        assertThat(happenings.of("gone")).isEmpty();
        assertThat(happenings.of("reclaimed")).isEmpty();
    }

    @Test
    void leasesOfHandledAndWaitingDeliveriesAreRenewed() {
        QueueNode node = node(Pacing.builtIn());
        blockFirstOf(node, "a", "b", "c", "d");

        time.pass(LEASE.multipliedBy(3), STEP);
        List.of("a", "b", "c", "d").forEach(id -> assertThat(leaseEnd(id)).isGreaterThan((double) clock.millis()));
        release.countDown();
        await().until(() -> happenings.count("acknowledged") == 4);
        assertThat(happenings.of("started")).hasSize(4).allMatch(line -> line.endsWith(" 1"));
        assertThat(happenings.of("released")).isEmpty();
        assertThat(happenings.of("gone")).isEmpty();
        assertThat(happenings.of("reclaimed")).isEmpty();
    }

    @Test
    void deliveryThatWaitsTooLongIsReleasedWithoutCountingTheAttempt() {
        QueueNode node = node(Pacing.builtIn());
        blockFirstOf(node, "a", "b", "c");

        time.pass(ONE_WORKER.prefetchTime(), STEP);
        await().until(() -> happenings.count("released") >= 2);
        release.countDown();
        await().until(() -> happenings.count("acknowledged") == 3);
        assertThat(happenings.of("released")).contains("released b", "released c");
        assertThat(happenings.of("started")).hasSize(3).allMatch(line -> line.endsWith(" 1"));
    }

    @Test
    void cancelledPrefetchedDeliveryNeverRuns() {
        QueueNode node = node(Pacing.quiet().confirmAfter(Duration.ofMillis(50)));
        Queue<Delivery> running = blockFirstOf(node, "a", "b");

        assertThat(node.template.cancel("t", "b")).isEqualTo(CancelOutcome.CANCELLED_WHILE_HANDLED);
        time.jump(Duration.ofMillis(60));
        release.countDown();
        node.template.send(DelayMessage.to("t").id("c").payload("").build());
        await().until(() -> happenings.count("acknowledged c") == 1);
        assertThat(running).extracting(Delivery::id).containsExactly("a", "c");
        assertThat(happenings.of("leaseLost")).isEmpty();
    }

    /** The signal causes the confirmation, long before the delivery would confirm its lease by itself. */
    @ParameterizedTest
    @EnumSource
    void prefetchedDeliveryOfACancelledOrReplacedMessageNeverStarts(CancelOrReplace how) {
        GatedStore store = new GatedStore();
        Queue<String> lost = new ConcurrentLinkedQueue<>();
        QueueNode node = node(Pacing.quiet().confirmAfter(Duration.ofMinutes(1)), store);
        Queue<Delivery> running = blockFirstOf(node, "a", "b", "c", "d");
        await().until(node.signals::confirmed);
        store.set(poll -> {
            PollReply reply = (PollReply) poll.call();
            reply.rejected().stream()
                    .filter(Settlement.Extend.class::isInstance)
                    .forEach(renewal -> lost.add(renewal.id()));
            return reply;
        });

        how.of(node, "b");
        await().until(() -> lost.contains("b"));
        release.countDown();
        await().until(() -> happenings.count("acknowledged d") == 1);
        assertThat(running).extracting(Delivery::id).doesNotContain("b").contains("a", "d");
    }

    /** The claim's reply, with the lease as it was before, is read after the signal. */
    @Test
    void deliveryClaimedBeforeItsMessageWasCancelledNeverStarts() {
        GatedStore store = new GatedStore();
        QueueNode node = node(Pacing.quiet().confirmAfter(Duration.ofMinutes(1)), store);
        Queue<String> running = new ConcurrentLinkedQueue<>();
        node.listen("t", ONE_WORKER, deliveries -> {
            running.add(deliveries.get(0).id());
            return null;
        });
        await().until(node.signals::confirmed);
        CountDownLatch heard = new CountDownLatch(1);
        node.signals.listen(SHARD, cancellationsTo(heard)); // called after the poller, which subscribed before
        store.set(poll -> {
            PollReply reply = (PollReply) poll.call();
            if (reply.claims().stream().anyMatch(claim -> claim.id().equals("a"))) {
                assertThat(node.template.cancel("t", "a")).isEqualTo(CancelOutcome.CANCELLED_WHILE_HANDLED);
                assertThat(heard.await(60, TimeUnit.SECONDS)).isTrue();
            }
            return reply;
        });

        node.template.send(DelayMessage.to("t").id("a").payload("").build());
        await().until(() -> heard.getCount() == 0);
        node.template.send(DelayMessage.to("t").id("b").payload("").build());
        await().until(() -> happenings.count("acknowledged b") == 1);
        assertThat(running).containsExactly("b");
    }

    private static SignalListener cancellationsTo(CountDownLatch heard) {
        return new SignalListener() {
            @Override
            public void headAt(long dueMillis) {}

            @Override
            public void dueMessagesLeft(String consumer) {}

            @Override
            public void cancelledOrReplaced(String id) {
                heard.countDown();
            }

            @Override
            public void resubscribed() {}
        };
    }

    /** How a message is cancelled or replaced before its delivery starts. */
    enum CancelOrReplace {
        CANCEL {
            @Override
            void of(QueueNode node, String id) {
                assertThat(node.template.cancel("t", id)).isEqualTo(CancelOutcome.CANCELLED_WHILE_HANDLED);
            }
        },
        REPLACE {
            @Override
            void of(QueueNode node, String id) {
                node.template.send(replacing(id));
            }
        },
        REPLACE_SEVERAL {
            @Override
            void of(QueueNode node, String id) {
                node.template.sendAll(List.of(replacing(id), replacing("c")));
            }
        };

        abstract void of(QueueNode node, String id);

        private static DelayMessage replacing(String id) {
            return DelayMessage.to("t")
                    .id(id)
                    .payload("")
                    .delay(Duration.ofHours(1))
                    .onDuplicate(OnDuplicate.REPLACE)
                    .build();
        }
    }

    @Test
    void deliveryWhoseLeaseMayHaveEndedIsConfirmedBeforeItStarts() {
        MovableTime ofTheNode = new MovableTime(); // in Redis, the leases have not ended
        GatedStore store = new GatedStore();
        QueueNode node = add(QueueNode.on(redis.port())
                .store(store)
                .settings(Pacing.quiet().settings())
                .time(ofTheNode));
        Queue<Delivery> running = blockFirstOf(node, "a", "b", "c", "d");
        CountDownLatch replies = new CountDownLatch(1);
        store.set(poll -> {
            assertThat(replies.await(60, TimeUnit.SECONDS)).isTrue();
            return poll.call();
        });

        ofTheNode.jump(MORE_THAN_THE_LEASE);
        assertThat(running).noneMatch(Delivery::held);
        forgetLease("b");
        forgetLease("d");
        release.countDown();
        replies.countDown();
        await().until(() -> happenings.count("acknowledged c") == 1);
        assertThat(happenings.of("released")).isEmpty();
        assertThat(happenings.of("started")).containsExactly("started a 1", "started c 1");
        await().untilAsserted(() -> assertThat(happenings.of("acknowledged a")).hasSize(1));
    }

    @Test
    void leaseReclaimedByAnotherNodeStartsNoHandler() {
        GatedStore process = new GatedStore();
        QueueNode paused = node(Pacing.quiet(), process);
        Queue<Delivery> running = blockFirstOf(paused, "a", "b");
        CountDownLatch resumed = new CountDownLatch(1);
        process.set(poll -> {
            assertThat(resumed.await(60, TimeUnit.SECONDS)).isTrue();
            return poll.call();
        });
        QueueNode other = node(Pacing.quiet());
        Queue<String> elsewhere = new ConcurrentLinkedQueue<>();
        redis.command("HSET", "dq:{t:0.0}:meta", "grace", "0");
        redis.command("ZADD", "dq:{t:0.0}:leases", "1", "a", "1", "b");
        other.listen("t", ONE_WORKER, deliveries -> {
            elsewhere.add(deliveries.get(0).id() + deliveries.get(0).crashes());
            return null;
        });
        await().until(() -> happenings.count("acknowledged") == 2);

        time.jump(MORE_THAN_THE_LEASE);
        release.countDown();
        resumed.countDown();
        await().until(() -> happenings.count("gone a") == 1);
        assertThat(elsewhere).containsExactlyInAnyOrder("a1", "b1");
        assertThat(running).extracting(Delivery::id).containsExactly("a");
        assertThat(running).noneMatch(Delivery::held);
    }

    @Test
    void leaseEndsAfterTheHandlingTimeAndTheMessageIsDeliveredAgain() {
        QueueNode node = node(Pacing.builtIn());
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .concurrency(2)
                .handlingTime(HANDLING_TIME)
                .build();
        node.listen("t", options, deliveries -> {
            if (deliveries.get(0).crashes() == 0) {
                awaitRelease();
            }
            return null;
        });
        node.template.send(DelayMessage.to("t").id("m").payload("").build());
        await().until(() -> happenings.count("started m 1") == 1);

        time.passUntil(STEP, () -> happenings.count("acknowledged m 1") == 1);
        assertThat(happenings.of("reclaimed")).containsExactly("reclaimed m");
        release.countDown();
        await().until(() -> happenings.count("gone m") == 1);
    }

    @Test
    void extensionOutlivesTheHandlingTimeAndNoRenewalShortensIt() {
        QueueNode node = node(Pacing.builtIn());
        ListenerOptions options =
                ListenerOptions.DEFAULTS.toBuilder().handlingTime(HANDLING_TIME).build();
        Queue<Boolean> accepted = new ConcurrentLinkedQueue<>();
        node.listen("t", options, deliveries -> {
            Acknowledgement delivery = deliveries.get(0).acknowledgement();
            accepted.add(delivery.extend(Duration.ofHours(1)).get(60, TimeUnit.SECONDS));
            accepted.add(delivery.extend(Duration.ofSeconds(2)).get(60, TimeUnit.SECONDS));
            awaitRelease();
            return null;
        });
        node.template.send(DelayMessage.to("t").id("m").payload("").build());
        await().until(() -> accepted.size() == 2);

        time.pass(HANDLING_TIME.plus(LEASE).plus(LEASE), STEP);
        assertThat(leaseEnd("m"))
                .isGreaterThan((double) clock.millis() + Duration.ofMinutes(50).toMillis());
        release.countDown();
        await().until(() -> happenings.count("acknowledged m 1") == 1);
        assertThat(accepted).containsExactly(true, true);
        assertThat(happenings.of("reclaimed")).isEmpty();
    }

    @Test
    void shorterExtensionRequestedTogetherWithALongerOneDoesNotShortenTheLease() {
        QueueNode node = node(Pacing.builtIn());
        Queue<Boolean> accepted = new ConcurrentLinkedQueue<>();
        CountDownLatch extended = new CountDownLatch(1);
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
            Acknowledgement delivery = deliveries.get(0).acknowledgement();
            CompletableFuture<Boolean> longer = delivery.extend(Duration.ofHours(1));
            CompletableFuture<Boolean> shorter = delivery.extend(Duration.ofMinutes(1));
            accepted.add(longer.get(60, TimeUnit.SECONDS));
            accepted.add(shorter.get(60, TimeUnit.SECONDS));
            extended.countDown();
            awaitRelease();
            return null;
        });
        node.template.send(DelayMessage.to("t").id("m").payload("").build());
        await().until(() -> extended.getCount() == 0);
        assertThat(leaseEnd("m"))
                .isGreaterThan((double) clock.millis() + Duration.ofMinutes(50).toMillis());
        release.countDown();
        await().until(() -> happenings.count("acknowledged m 1") == 1);
        assertThat(accepted).containsExactly(true, true);
    }

    private void sendDue(QueueNode node, String topic, int count) {
        node.template.sendAll(IntStream.range(0, count)
                .mapToObj(i -> DelayMessage.to(topic)
                        .id(topic + "%04d".formatted(i))
                        .payload("")
                        .build())
                .toList());
    }

    /** Blocks the only worker in the first message while the others are prefetched. */
    private Queue<Delivery> blockFirstOf(QueueNode node, String... ids) {
        Queue<Delivery> running = new ConcurrentLinkedQueue<>();
        // so that more than one is prefetched, even if one of these was not handled fast
        node.template.sendAll(IntStream.range(0, FAST)
                .mapToObj(i -> DelayMessage.to("t").id("fast" + i).payload("").build())
                .toList());
        node.listen("t", ONE_WORKER, deliveries -> {
            if (deliveries.get(0).id().startsWith("fast")) {
                return null;
            }
            running.addAll(deliveries);
            awaitRelease();
            return null;
        });
        await().until(() -> happenings.count("acknowledged fast") == FAST);
        node.template.sendAll(List.of(ids).stream()
                .map(id -> DelayMessage.to("t").id(id).payload("").build())
                .toList());
        await().until(() -> running.size() == 1 && node.store.awaitCount(SHARD).leased() == ids.length);
        happenings.clear();
        happenings.started(new Recipient("t", Shard.QueueKind.MESSAGES, "l"), ids[0], 1, Duration.ZERO);
        return running;
    }

    private void awaitRelease() throws InterruptedException {
        assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
    }

    /** As if another consumer held it, with a long lease. */
    private void forgetLease(String id) {
        long end = clock.millis() + Duration.ofHours(1).toMillis();
        redis.command("ZADD", "dq:{t:0.0}:leases", Long.toString(end), id);
        redis.command("HSET", "dq:{t:0.0}:deliveries", id, "other-1 1 0 ");
    }

    private double leaseEnd(String id) {
        return Double.parseDouble(String.valueOf(redis.command("ZSCORE", "dq:{t:0.0}:leases", id)));
    }
}
