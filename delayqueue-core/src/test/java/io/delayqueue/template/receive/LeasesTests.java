package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Keys;
import io.delayqueue.redis.Await;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Deliveries are settled by their receipts at another receiver than the one that gave them. */
class LeasesTests extends ReceiveTest {

    private DefaultDelayQueueReceiver other;
    private Leases leases;

    @BeforeEach
    void beginOther() {
        other = builder().build();
        leases = other.leases();
    }

    @AfterEach
    void endOther() {
        other.close();
    }

    @Test
    void anotherProcessAcknowledges() {
        LeasedDelivery delivery = delivered("a");

        assertThat(join(leases.acknowledge(delivery.receipt()))).isTrue();

        assertThat(counts().leased()).isZero();
        assertThat(Await.result(queue.store.find(Shard.single("orders"), "a"))).isEmpty();
        assertThat(queue.recorded.lines()).anyMatch(line -> line.startsWith("acknowledged"));
    }

    @Test
    void settlementsThatAreGivenTogetherShareOneCall() {
        List<LeasedDelivery> deliveries =
                IntStream.range(0, 100).mapToObj(i -> delivered("m" + i)).toList();
        List<CompletableFuture<Boolean>> accepted = new ArrayList<>();
        assertThat(join(leases.release(receipt("orders", "unknown", deliveries.get(0)))))
                .as("the shard has been looked up")
                .isFalse();
        awaitAsleep(); // the thread of the last reply sends what was added meanwhile
        int calls = queue.calls();

        leases.together(all -> deliveries.forEach(delivery -> {
            accepted.add(all.acknowledge(delivery.receipt()));
            assertThat(queue.calls()).isEqualTo(calls);
        }));

        assertThat(accepted)
                .hasSize(100)
                .allSatisfy(each -> assertThat(join(each)).isTrue());
        assertThat(queue.calls() - calls).isEqualTo(1);
    }

    @Test
    void aReleaseCountsNoAttempt() {
        LeasedDelivery delivery = delivered("a");

        assertThat(join(delivery.release())).isTrue();

        assertThat(join(delivery.acknowledge())).isFalse();
        LeasedDelivery next = receiveOne();
        assertThat(join(leases.release(next.receipt()))).isTrue();
        assertThat(receiveOne().attempt()).isEqualTo(1);
    }

    @Test
    void othersOfTheKeyPassInAnOrderedTopic() {
        TopicRegistry ordered = new TopicRegistry(
                queue.scripts,
                queue.keySpace,
                new ShardPlan(Map.of(), Map.of("orders", Keys.ORDERED), ShardPlan.OnConflict.FAIL));
        ordered.shards("orders").join();
        for (String id : List.of("a", "b")) {
            template.send(DelayMessage.to("orders").id(id).key("k").payload("p").build());
        }

        assertThat(join(leases.postpone(receiveOne().receipt(), Duration.ofHours(1))))
                .isTrue();
        assertThat(receiveNow(1)).as("a postponed message holds its key").isEmpty();
        pass(Duration.ofHours(1));
        LeasedDelivery again = receiveOne();
        assertThat(again.id()).isEqualTo("a");
        assertThat(join(leases.letOthersPass(again.receipt(), Duration.ofHours(1))))
                .isTrue();

        assertThat(receiveOne().id()).isEqualTo("b");
        assertThat(found("a").postponements()).isEqualTo(2);
        assertThat(found("a").attempts()).isZero();
    }

    @Test
    void inOtherTopicsLettingOthersPassIsAPostponement() {
        send("a", Duration.ZERO);
        for (int postponements = 0; postponements < 3; postponements++) {
            LeasedDelivery delivery = receiveOne();
            assertThat(delivery.attempt()).isEqualTo(1);
            assertThat(delivery.postponements()).isEqualTo(postponements);
            assertThat(join(leases.letOthersPass(delivery.receipt(), Duration.ZERO)))
                    .isTrue();
            assertThat(join(leases.acknowledge(delivery.receipt()))).isFalse();
        }

        assertThat(deadLetters().get(0).cause()).isEqualTo(DeadLetterCause.POSTPONEMENTS_SPENT);
        String receipt = delivered("b").receipt();
        assertThatThrownBy(() -> leases.letOthersPass(receipt, Duration.ofDays(3651)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("delay must be from 0 to 3650 d");
    }

    @Test
    void attemptsInAReceiptDecideNothing() {
        template.send(
                DelayMessage.to("orders").id("a").payload("p").maxAttempts(2).build());
        LeasedDelivery first = receiveOne();
        assertThat(join(leases.retry(withAttempt("zzz", first), Duration.ZERO, "again")))
                .isTrue();
        LeasedDelivery second = receiveOne();
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.lastFailure()).contains("again");

        assertThat(join(leases.retry(withAttempt("1", second), Duration.ZERO, "again")))
                .isTrue();

        assertThat(counts().dead()).isEqualTo(1);
        assertThat(counts().ready() + counts().leased()).isZero();
        assertThat(queue.recorded.lines()).contains("deadLettered a ATTEMPTS_SPENT");
    }

    private static String withAttempt(String attempt, LeasedDelivery delivery) {
        return new Receipt("orders", delivery.id(), delivery(delivery).replaceFirst("^[0-9a-z]+", attempt)).toString();
    }

    @Test
    void anExtensionIsCountedFromNow() {
        LeasedDelivery delivery = delivered("a");

        assertThat(join(leases.extendLease(delivery.receipt(), LEASE.multipliedBy(2))))
                .isTrue();

        assertThat(found("a").leaseEnd()).isAfter(delivery.leaseEnd().plus(LEASE.dividedBy(2)));
    }

    @Test
    void anExtensionNeverShortens() {
        LeasedDelivery delivery = delivered("a");

        assertThat(join(leases.extendLease(delivery.receipt(), Duration.ofSeconds(1))))
                .isTrue();

        assertThat(found("a").leaseEnd()).isAfter(delivery.leaseEnd().minus(LEASE.dividedBy(2)));
        for (Duration time : List.of(Duration.ofMillis(999), Duration.ofDays(1).plusMillis(1))) {
            assertThatThrownBy(() -> leases.extendLease(delivery.receipt(), time))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("time must be from 1 s to 1 d");
        }
    }

    @Test
    void anUnknownTopicHasNoLeasesAndIsNotRegistered() {
        String receipt = receipt("unknown", "a", delivered("a"));

        assertThat(join(leases.acknowledge(receipt))).isFalse();

        assertThat(queue.topics.registeredShards("unknown").join()).isEmpty();
    }

    @Test
    void aTopicThatIsRegisteredAgainIsFollowed() {
        join(delivered("a").acknowledge());
        TopicRegistry wide = new TopicRegistry(
                queue.scripts, queue.keySpace, new ShardPlan(Map.of("orders", 3), ShardPlan.OnConflict.FAIL));
        new TopicDeletion(queue.scripts, queue.keySpace, wide).delete("orders");
        wide.shards("orders").join();
        send("b", Duration.ZERO);
        LeasedDelivery delivery = receiveOne();

        assertThat(join(leases.acknowledge(delivery.receipt()))).isTrue();
    }

    @Test
    void theFirstOfTwoSettlementsOfALeaseCounts() {
        LeasedDelivery delivery = delivered("a");
        queue.faults.refuse("poll");
        CompletableFuture<Boolean> ahead = leases.acknowledge(receipt("orders", "other", delivery));
        CompletableFuture<Boolean> retried = leases.retry(delivery.receipt(), Duration.ofHours(1), "first");
        CompletableFuture<Boolean> acknowledged = leases.acknowledge(delivery.receipt());
        CompletableFuture<Boolean> extended = leases.extendLease(delivery.receipt(), LEASE);

        queue.faults.pass();

        assertThat(join(ahead)).isFalse();
        assertThat(join(retried)).isTrue();
        assertThat(join(acknowledged)).isFalse();
        assertThat(join(extended)).isFalse();
        assertThat(counts().scheduled()).isEqualTo(1);
    }

    @Test
    void repeatedSettlementsInAnOutageShareTheirResult() {
        LeasedDelivery delivery = delivered("a");
        queue.faults.refuse("poll");
        List<CompletableFuture<Boolean>> repeats = IntStream.range(0, 50)
                .mapToObj(i -> leases.acknowledge(delivery.receipt()))
                .toList();

        queue.faults.pass();

        assertThat(repeats).allMatch(ReceiveTest::join);
        assertThat(queue.recorded.lines().stream().filter(line -> line.startsWith("acknowledged")))
                .hasSize(1);
        assertThat(join(leases.acknowledge(delivery.receipt()))).isFalse();
    }

    @Test
    void aSettlementAfterTheCloseFails() {
        LeasedDelivery delivery = delivered("a");
        queue.faults.refuse("poll");
        CompletableFuture<Boolean> before = leases.acknowledge(delivery.receipt());

        other.close();

        await().until(before::isDone);
        assertThat(before).isCompletedExceptionally();
    }
}
