package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.delayqueue.coordination.ReceivedLeases;
import io.delayqueue.message.Shard;
import io.delayqueue.store.Claim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which leases a process knows, and how it releases them. */
class GivenLeasesTests extends ReceiveTest {

    private ReceivedLeases given;

    @BeforeEach
    void find() {
        given = receiver.givenLeases();
    }

    private LeasedDelivery delivered(String client, String id) {
        LeasedDelivery delivery = delivered(id);
        DefaultDelayQueueReceiver.heldBy(client, List.of(delivery));
        return delivery;
    }

    /** Asks Redis, as a report does, and returns what the next report says: the client, the number, the oldest message. */
    private List<String> old() {
        given.old();
        awaitAsleep();
        return known();
    }

    private List<String> known() {
        return given.old().stream()
                .map(held -> held.client() + " " + held.leases() + " " + held.id())
                .toList();
    }

    @Test
    void leasesAreKnownByTheirHolderUntilTheyAreSettled() {
        LeasedDelivery first = delivered("shop", "a");
        pass(Duration.ofSeconds(20));
        LeasedDelivery second = delivered("shop", "b");
        LeasedDelivery own = delivered("c");
        pass(Duration.ofSeconds(15));
        assertThat(old()).containsExactly("shop 1 a");
        pass(Duration.ofSeconds(20));

        assertThat(old()).containsExactly("shop 2 a", "null 1 c");
        assertThat(given.old()).first().satisfies(held -> {
            assertThat(held.topic()).isEqualTo("orders");
            assertThat(held.oldest()).isGreaterThanOrEqualTo(Duration.ofSeconds(55));
        });

        assertThat(join(first.extendLease(LONG))).isTrue();
        assertThat(old()).hasSize(2);
        assertThat(join(first.acknowledge())).isTrue();
        assertThat(join(own.release())).isTrue();
        assertThat(known()).containsExactly("shop 1 b");
        assertThat(join(receiver.leases().acknowledge(second.receipt()))).isTrue();
        assertThat(given.isEmpty()).isTrue();
    }

    @Test
    void aLeaseThatAnotherProcessSettlesIsNotReported() {
        LeasedDelivery delivery = delivered("shop", "a");
        DefaultDelayQueueReceiver other = builder().build();
        try {
            assertThat(join(other.leases().acknowledge(delivery.receipt()))).isTrue();
        } finally {
            other.close();
        }
        pass(Duration.ofSeconds(31));

        assertThat(given.old()).isEmpty();
        await().until(given::isEmpty);
    }

    @Test
    void aSettlementThatAForgedReceiptRequestsEndsNothing() {
        LeasedDelivery delivery = delivered("shop", "a");
        String receipt = delivery.receipt();
        String forged = receipt.substring(0, receipt.length() - 1) + (receipt.endsWith("0") ? "1" : "0");

        assertThat(join(receiver.leases().acknowledge(forged))).isFalse();

        assertThat(given.isEmpty()).isFalse();
    }

    /** A check must not keep a lease alive. */
    @Test
    void askingRedisExtendsNothing() {
        delivered("shop", "a");
        Instant end = found("a").leaseEnd();
        pass(Duration.ofSeconds(31));

        assertThat(old()).hasSize(1);

        assertThat(found("a").leaseEnd()).isEqualTo(end);
    }

    @Test
    void leasesThatEndedAreForgotten() {
        delivered("shop", "a");
        pass(LEASE.plusSeconds(1));
        assertThat(receiveOne().id()).isEqualTo("a");
        pass(Duration.ofSeconds(31));

        assertThat(old()).as("the second receiver").containsExactly("null 1 a");
    }

    @Test
    void aCancelledMessageIsForgotten() {
        delivered("shop", "a");

        given.ended("orders", "a");

        assertThat(given.isEmpty()).isTrue();
    }

    @Test
    void aReleaseFreesTheMessagesAndCountsNoAttempt() {
        LeasedDelivery first = delivered("shop", "a");
        delivered("shop", "b");
        delivered("other", "c");
        delivered("d");
        pass(Duration.ofSeconds(20));
        delivered("shop", "late");

        given.release("shop", "invoices", Duration.ZERO);
        given.release("unknown", null, Duration.ZERO);
        given.release("shop", "orders", Duration.ofSeconds(10));
        await().until(() -> counts().ready() == 2);

        assertThat(counts().leased()).isEqualTo(3);
        assertThat(join(first.acknowledge())).as("its lease has ended").isFalse();
        assertThat(receiveNow(10))
                .extracting(LeasedDelivery::id, LeasedDelivery::attempt)
                .containsExactlyInAnyOrder(tuple("a", 1), tuple("b", 1));

        pass(Duration.ofSeconds(1));
        given.release(null, null, Duration.ZERO);
        await().until(() -> counts().ready() == 3);
        assertThat(receiveNow(10)).extracting(LeasedDelivery::id).containsExactlyInAnyOrder("a", "b", "d");
    }

    @Test
    void aReleaseFreesManyLeases() {
        sendAll(400);
        List<LeasedDelivery> all = receiveNow(400);
        DefaultDelayQueueReceiver.heldBy("shop", all);
        pass(Duration.ofSeconds(31));
        assertThat(old()).singleElement().asString().startsWith("shop 400 ");

        given.release("shop", null, Duration.ZERO);

        await().until(() -> counts().ready() == 400);
        assertThat(given.isEmpty()).isTrue();
    }

    @Test
    void theNumberOfKnownLeasesIsLimited() {
        GivenLeases limited = new GivenLeases(() -> 0, shard -> {
            throw new AssertionError("Nothing is released");
        });
        for (int i = 0; i < GivenLeases.MAX + 10; i++) {
            limited.given(Shard.single("orders"), new Claim("m" + i, "token", 0, 1, 0, 0, false, null, new byte[0]));
        }

        limited.ended("orders", "m" + GivenLeases.MAX);
        for (int i = 0; i < GivenLeases.MAX; i++) {
            assertThat(limited.isEmpty()).isFalse();
            limited.ended("orders", "m" + i);
        }
        assertThat(limited.isEmpty()).isTrue();
    }
}
