package io.delayqueue.template.receive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.ShardKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettleLeasedTests extends ReceiveTest {

    @Test
    void settlementsArePublishedAsEvents() {
        join(delivered("a").acknowledge());
        join(delivered("b").retry(Duration.ofHours(1)));
        join(delivered("c").deadLetter("no"));
        LeasedDelivery lost = delivered("d");
        template.cancel("orders", "d");
        join(lost.acknowledge());

        assertThat(queue.recorded.lines())
                .containsSubsequence("started a 1", "acknowledged a 1")
                .containsSubsequence("started b 1", "retried b 1 PT1H")
                .containsSubsequence("started c 1", "deadLettered c REQUESTED")
                .containsSubsequence("started d 1", "cancelled orders d", "gone d");
    }

    @Test
    void longReasonsAreCut() {
        LeasedDelivery retried = delivered("a");
        join(retried.retry(Duration.ofHours(1), "r".repeat(100_000)));
        assertThat(found("a").lastFailure()).isEqualTo("retry: " + "r".repeat(500) + "…");

        LeasedDelivery deadLettered = delivered("b");
        join(deadLettered.deadLetter("😀".repeat(100_000)));
        assertThat(deadLetters().get(0).failure().message()).isEqualTo("😀".repeat(250) + "…");
        LeasedDelivery odd = delivered("c");
        join(odd.deadLetter("." + "😀".repeat(100_000)));
        assertThat(deadLetters().get(0).failure().message()).isEqualTo("." + "😀".repeat(249) + "…");
    }

    @Test
    void onlyTheFirstSettlementCounts() {
        LeasedDelivery delivery = delivered("a");

        CompletableFuture<Boolean> first = delivery.acknowledge();
        assertThat(join(delivery.retry(Duration.ZERO))).isFalse();
        assertThat(join(delivery.deadLetter("no"))).isFalse();
        assertThat(join(delivery.extendLease(LEASE))).isFalse();
        assertThat(join(first)).isTrue();
    }

    @Test
    void theLastPermittedAttemptIsNotRetried() {
        send("a", Duration.ZERO);
        for (int attempt = 1; attempt <= 3; attempt++) {
            LeasedDelivery delivery = receiveOne();
            assertThat(delivery.attempt()).isEqualTo(attempt);
            assertThat(join(delivery.retry(Duration.ZERO))).isTrue();
        }

        assertThat(receiveNow(1)).isEmpty();
        assertThat(deadLetters()).hasSize(1);
        assertThat(deadLetters().get(0).cause()).isEqualTo(DeadLetterCause.ATTEMPTS_SPENT);
        assertThat(deadLetters().get(0).attempts()).isEqualTo(3);
        assertThat(queue.recorded.lines()).contains("deadLettered a ATTEMPTS_SPENT");
    }

    @Test
    void aMessageIsPostponedAsOftenAsPermitted() {
        send("a", Duration.ZERO);
        for (int postponements = 0; postponements < 3; postponements++) {
            LeasedDelivery delivery = receiveOne();
            assertThat(delivery.attempt()).isEqualTo(1);
            assertThat(delivery.postponements()).isEqualTo(postponements);
            assertThat(join(delivery.postpone(Duration.ofMillis(1)))).isTrue();
            assertThat(join(delivery.acknowledge())).isFalse();
        }

        assertThat(deadLetters().get(0).cause()).isEqualTo(DeadLetterCause.POSTPONEMENTS_SPENT);
        assertThat(deadLetters().get(0).failure().message()).isEqualTo("The message was already postponed 2 times");
        assertThat(queue.recorded.lines()).contains("postponed a 1 PT0.001S", "deadLettered a POSTPONEMENTS_SPENT");
    }

    @Test
    void aPostponementNeedsAValidDelay() {
        LeasedDelivery delivery = delivered("a");
        for (Duration delay :
                List.of(Duration.ofMillis(-1), Duration.ofDays(3651), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> delivery.postpone(delay))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("delay must be from 0 to 3650 d");
        }
        assertThat(join(delivery.acknowledge())).isTrue();
    }

    @Test
    void aSuspectIsReceivedAloneAndInTurn() {
        for (String id : List.of("a", "b", "c", "d")) {
            send(id, Duration.ZERO);
        }
        suspect("a");
        suspect("b");

        List<String> received = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<LeasedDelivery> deliveries = receiver.receive("orders", 1, LONG);
            received.add(deliveries.get(0).id());
            assertThat(deliveries).hasSize(1);
            assertThat(deliveries.get(0).crashes()).isEqualTo(i % 2 == 1 ? 2 : 0);
            assertThat(join(deliveries.get(0).acknowledge())).isTrue();
        }
        assertThat(received).containsExactly("c", "a", "d", "b");
        assertThat(receiveNow(10)).isEmpty();
    }

    /** The client may have disconnected: the attempts, not the crashes, limit how often it is received. */
    @Test
    void theEndOfALeaseIsAnAttemptAndNoCrash() {
        for (String id : List.of("a", "b")) {
            send(id, Duration.ZERO);
        }
        for (int attempt = 1; attempt <= 3; attempt++) {
            List<LeasedDelivery> deliveries = receiver.receive("orders", 2, LONG);
            assertThat(deliveries).hasSize(2);
            for (LeasedDelivery delivery : deliveries) {
                assertThat(delivery.attempt()).isEqualTo(attempt);
                assertThat(delivery.crashes()).isZero();
            }
            pass(LEASE);
        }

        assertThat(receiveNow(2)).isEmpty();
        assertThat(deadLetters())
                .extracting(DeadLetter::cause)
                .containsExactly(DeadLetterCause.ATTEMPTS_SPENT, DeadLetterCause.ATTEMPTS_SPENT);
    }

    @Test
    void theEndOfALeaseOfASuspectIsAnAttemptAndNoCrash() {
        send("a", Duration.ZERO);
        suspect("a");
        for (int attempt = 1; attempt <= 3; attempt++) {
            LeasedDelivery delivery = receiveOne();
            assertThat(delivery.attempt()).isEqualTo(attempt);
            assertThat(delivery.crashes()).isEqualTo(2);
            pass(LEASE);
        }

        assertThat(receiveNow(1)).isEmpty();
        assertThat(deadLetters()).extracting(DeadLetter::cause).containsExactly(DeadLetterCause.ATTEMPTS_SPENT);
    }

    /** The message's leases in two processes ended without a settlement. */
    private void suspect(String id) {
        long due = found(id).dueAt().toEpochMilli();
        ShardKeys keys = queue.keySpace.of(Shard.single("orders"));
        server.command("HSET", new String(keys.deliveries(), UTF_8), id, "- 0/2/0 " + due + " ");
        server.command("HSET", new String(keys.meta(), UTF_8), "suspects", "1");
        server.command("ZADD", new String(keys.schedule(), UTF_8), Long.toString(due + 1_000_000_000_000_000L), id);
    }

    @Test
    void anUnsettledMessageIsDeliveredToAnotherReceiver() {
        send("a", Duration.ZERO);
        LeasedDelivery late = receiveOne();
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        awaitAsleep();

        pass(LEASE);

        LeasedDelivery next = join(waiting).get(0);
        assertThat(next.id()).isEqualTo("a");
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(next.crashes()).isZero();
        assertThat(late.leaseLeft()).isZero();
        assertThat(join(late.acknowledge())).isFalse();
        assertThat(found("a").state()).isEqualTo(MessageState.LEASED);
        assertThat(queue.recorded.lines()).contains("gone a");
        assertThat(join(next.acknowledge())).isTrue();
    }

    @Test
    void anExtendedLeaseHolds() {
        LeasedDelivery delivery = delivered("a");

        assertThat(join(delivery.extendLease(LEASE.multipliedBy(3)))).isTrue();
        pass(LEASE.multipliedBy(2));

        assertThat(receiveNow(1)).isEmpty();
        assertThat(delivery.leaseLeft()).isBetween(LEASE.dividedBy(2), LEASE);
        assertThat(found("a").leaseEnd())
                .isBetween(
                        delivery.leaseEnd().minusMillis(1), delivery.leaseEnd().plusSeconds(60));
        assertThat(join(delivery.acknowledge())).isTrue();
    }

    @Test
    void anExtensionNeverShortens() {
        LeasedDelivery delivery = delivered("a");

        assertThat(join(delivery.extendLease(Duration.ofSeconds(1)))).isTrue();

        assertThat(delivery.leaseLeft()).isGreaterThan(LEASE.dividedBy(2));
        assertThat(found("a").leaseEnd()).isAfter(delivery.leaseEnd().minus(LEASE.dividedBy(2)));
    }

    @Test
    void anExtensionOfACancelledMessageIsRejected() {
        LeasedDelivery delivery = delivered("a");
        template.cancel("orders", "a");

        assertThat(join(delivery.extendLease(Duration.ofSeconds(1)))).isFalse();
    }

    /** Of small dead letters, too: their sizes are known, unlike those of messages that are settled by receipt. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void waitingSettlementsAreSentTogether(boolean toDeadLetters) {
        sendAll(100);
        List<LeasedDelivery> deliveries = receiveNow(100);
        awaitAsleep();
        int calls = queue.calls();
        CompletableFuture<Void> replies = queue.faults.holdReplies("poll");

        List<CompletableFuture<Boolean>> results = deliveries.stream()
                .map(delivery -> toDeadLetters ? delivery.deadLetter("no") : delivery.acknowledge())
                .toList();
        replies.complete(null);

        assertThat(results).allMatch(result -> join(result));
        assertThat(queue.calls() - calls).isEqualTo(2);
        assertThat(counts().leased()).isZero();
        assertThat(counts().dead()).isEqualTo(toDeadLetters ? 100 : 0);
    }

    @Test
    void rangesAreChecked() {
        LeasedDelivery delivery = delivered("a");

        assertThatThrownBy(() -> delivery.retry(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> delivery.extendLease(Duration.ofMillis(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> delivery.extendLease(Duration.ofDays(1).plusMillis(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("time must be from 1 s to 1 d");
        assertThat(join(delivery.acknowledge())).isTrue();
    }
}
