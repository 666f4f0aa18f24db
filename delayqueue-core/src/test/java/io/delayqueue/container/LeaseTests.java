package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.event.Recipient;
import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.QueueKind;
import io.delayqueue.redis.Await;
import io.delayqueue.store.PollReply;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A lease protects deliveries that wait for a worker and deliveries that are handled. */
class LeaseTests extends NodeTest {

    private static final ListenerOptions ONE_WORKER = ListenerOptions.DEFAULTS.toBuilder()
            .concurrency(1)
            .prefetchTime(Duration.ofMinutes(2))
            .build();

    private static final Duration LEASE = ListenerOptions.DEFAULTS.lease();
    private static final Duration MORE_THAN_THE_LEASE = LEASE.plusSeconds(10);
    private static final Duration HANDLING_TIME = Duration.ofMinutes(1);

    private static final int FAST = 50;

    LeaseTests(RedisServerProcess redis) {
        super(redis);
    }

    private QueueNode node(Pacing pacing) {
        return node(pacing, new GatedStore());
    }

    private QueueNode node(Pacing pacing, GatedStore store) {
        return add(driven().store(store).settings(pacing.settings()));
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

    /** The signal causes the confirmation, long before the delivery would confirm its lease by itself. */
    @Test
    void prefetchedDeliveryOfACancelledMessageNeverStarts() {
        GatedStore store = new GatedStore();
        Queue<String> lost = new ConcurrentLinkedQueue<>();
        QueueNode node = node(Pacing.quiet().confirmAfter(Duration.ofMinutes(1)), store);
        Queue<Delivery> running = blockFirstOf(node, "a", "b", "c");
        await().until(node.signals::confirmed);
        store.set(poll -> {
            PollReply reply = poll.call();
            reply.rejected().forEach(renewal -> lost.add(renewal.id()));
            return reply;
        });

        assertThat(node.template.cancel("t", "b")).isEqualTo(CancelOutcome.CANCELLED_WHILE_HANDLED);
        await().until(() -> lost.contains("b"));
        release.countDown();
        await().until(() -> happenings.count("acknowledged c") == 1);
        assertThat(running).extracting(Delivery::id).containsExactly("a", "c");
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
        node.template.send(message("t", "m"));
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
            accepted.add(delivery.extendLease(Duration.ofHours(1)).get(60, TimeUnit.SECONDS));
            accepted.add(delivery.extendLease(Duration.ofSeconds(2)).get(60, TimeUnit.SECONDS));
            awaitRelease();
            return null;
        });
        node.template.send(message("t", "m"));
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
    void extensionOfACancelledMessageIsRejected() {
        QueueNode node = node(Pacing.builtIn());
        Queue<Boolean> accepted = new ConcurrentLinkedQueue<>();
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
            node.template.cancel("t", "m");
            Acknowledgement delivery = deliveries.get(0).acknowledgement();
            accepted.add(delivery.extendLease(Duration.ofSeconds(1)).get(60, TimeUnit.SECONDS));
            return null;
        });
        node.template.send(message("t", "m"));
        await().until(() -> happenings.count("gone m") == 1);
        assertThat(accepted).containsExactly(false);
    }

    /** Blocks the only worker in the first message while the others are prefetched. */
    private Queue<Delivery> blockFirstOf(QueueNode node, String... ids) {
        Queue<Delivery> running = new ConcurrentLinkedQueue<>();
        // so that more than one is prefetched, even if one of these was not handled fast
        node.template.sendAll(
                IntStream.range(0, FAST).mapToObj(i -> message("t", "fast" + i)).toList());
        node.listen("t", ONE_WORKER, deliveries -> {
            if (deliveries.get(0).id().startsWith("fast")) {
                return null;
            }
            running.addAll(deliveries);
            awaitRelease();
            return null;
        });
        await().until(() -> happenings.count("acknowledged fast") == FAST);
        node.template.sendAll(List.of(ids).stream().map(id -> message("t", id)).toList());
        await().until(() -> running.size() == 1
                && Await.result(node.store.count(SHARD)).counts().leased() == ids.length);
        happenings.clear();
        happenings.started(new Recipient("t", QueueKind.MESSAGES, "l"), ids[0], 1, Duration.ZERO);
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
