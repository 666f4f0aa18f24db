package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.container.OpenDeliveries.Renewal;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.Settlement.Extend;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OpenDeliveriesTests {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration HANDLING = Duration.ofMinutes(1);
    private static final Duration CONFIRM = Duration.ofSeconds(1);

    /** The start of the monotonic clock, which overflows during the test. */
    private final long start = Long.MAX_VALUE - Duration.ofSeconds(20).toNanos();

    private long now = start;

    private static final ClaimBudget.Share SHARE = new ClaimBudget(1000, 0, Duration.ZERO).share(Claims.NO_TASK);
    private final OpenDeliveries deliveries = new OpenDeliveries(SHARE, HANDLING, CONFIRM, () -> now);

    private long at(Duration time) {
        return start + time.toNanos();
    }

    private long at(long seconds) {
        return at(Duration.ofSeconds(seconds));
    }

    private ClaimedDelivery added(String id) {
        ClaimedDelivery delivery = Claims.delivery(id, LEASE, start, start);
        deliveries.add(List.of(delivery));
        return delivery;
    }

    private static List<Extend> renewals(List<Renewal> due) {
        return due.stream().map(Renewal::extend).toList();
    }

    @Test
    void leaseIsRenewedWhenAThirdOfItHasPassed() {
        ClaimedDelivery delivery = added("a");
        assertThat(deliveries.nextRenewal()).isEqualTo(at(10));
        assertThat(deliveries.needsRenewal(at(9))).isFalse();
        assertThat(deliveries.needsRenewal(at(10))).isTrue();
        List<Renewal> due = deliveries.takeRenewals(at(10));
        assertThat(renewals(due)).containsExactly(new Extend("a", "token", LEASE));
        deliveries.renewed(due, Set.of(), at(10), at(11));
        assertThat(deliveries.nextRenewal()).isEqualTo(at(20));
        assertThat(delivery.leaseDeadline()).isEqualTo(at(40));
    }

    @Test
    void nothingIsRenewedAfterTheHandlingTimeOrWhenSettledOrLost() {
        ClaimedDelivery tooLong = added("a");
        tooLong.started(start);
        ClaimedDelivery lost = added("b");
        lost.lose();
        ClaimedDelivery answered = added("c");
        assertThat(answered.retry(Duration.ZERO)).isNotDone();
        assertThat(renewals(deliveries.takeRenewals(at(10))))
                .extracting(Extend::id)
                .containsExactly("a");
        deliveries.renewed(List.of(), Set.of(), at(10), at(10));
        assertThat(deliveries.takeRenewals(at(61))).isEmpty();
        assertThat(deliveries.nextRenewal()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void deliveryThatWaitedIsConfirmedBeforeItStarts() {
        ClaimedDelivery delivery = added("a");
        assertThat(deliveries.takeFirst(false, at(1))).isNull();
        assertThat(deliveries.hasStartable()).isFalse();
        List<Renewal> due = deliveries.takeRenewals(at(1));
        assertThat(due).hasSize(1);
        assertThat(deliveries.isConfirmationRequested()).isFalse();
        deliveries.renewed(due, Set.of(), at(1), at(2));
        assertThat(deliveries.hasStartable()).isTrue();
        assertThat(deliveries.takeFirst(false, at(2))).isSameAs(delivery);
    }

    @Test
    void deliveryConfirmedByASlowReplyStillStarts() {
        ClaimedDelivery slow = Claims.delivery("slow", LEASE, start, at(5));
        deliveries.add(List.of(slow));
        assertThat(deliveries.takeFirst(false, at(5))).isSameAs(slow);
        ClaimedDelivery tooSlow = Claims.delivery("too slow", LEASE, start, at(30));
        deliveries.add(List.of(tooSlow));
        assertThat(deliveries.takeFirst(false, at(30))).isNull();
    }

    @Test
    void startedDeliveriesNeedNoConfirmation() {
        ClaimedDelivery started = added("started");
        assertThat(deliveries.takeFirst(false, at(Duration.ofMillis(999)))).isSameAs(started);
        started.started(start);
        added("waiting");
        assertThat(deliveries.takeFirst(false, at(2))).isNull();
        assertThat(renewals(deliveries.takeRenewals(at(2))))
                .extracting(Extend::id)
                .containsExactly("waiting");
    }

    @Test
    void noReplyShortensALease() {
        ClaimedDelivery delivery = added("a");
        delivery.started(start);
        for (Duration lease : List.of(Duration.ofHours(1), Duration.ofSeconds(1))) {
            Extend extension = new Extend("a", "token", lease);
            deliveries.renewed(List.of(new Renewal(delivery, extension)), Set.of(), at(20), at(20));
            assertThat(delivery.leaseDeadline()).isEqualTo(at(3620));
        }
    }

    @Test
    void renewalsBeyondTheLimitOfAPollAreSentByTheNext() {
        List<ClaimedDelivery> many = IntStream.range(0, PollRequest.MAX_BATCH + 20)
                .mapToObj(i -> Claims.delivery("m" + i, LEASE, start, start))
                .toList();
        deliveries.add(many);
        List<Renewal> first = deliveries.takeRenewals(at(10));
        assertThat(first).hasSize(PollRequest.MAX_BATCH);
        assertThat(deliveries.needsRenewal(at(10))).isTrue();
        deliveries.renewed(first, Set.of(), at(10), at(10));
        List<Renewal> second = deliveries.takeRenewals(at(10));
        assertThat(second).hasSize(20);
        deliveries.renewed(second, Set.of(), at(10), at(10));
        assertThat(deliveries.needsRenewal(at(11))).isFalse();
        many.forEach(deliveries::remove);
        assertThat(deliveries.size()).isZero();
    }

    @Test
    void waitingDeliveryOfACancelledMessageIsConfirmedBeforeItStarts() {
        ClaimedDelivery cancelled = added("a");
        now = at(Duration.ofMillis(1));
        assertThat(deliveries.cancelledOrReplaced("b")).isFalse();
        assertThat(deliveries.cancelledOrReplaced("a")).isTrue();
        assertThat(deliveries.takeFirst(false, now)).isNull();
        List<Renewal> due = deliveries.takeRenewals(now);
        deliveries.renewed(due, Set.of(), at(Duration.ofMillis(2)), at(Duration.ofMillis(3)));
        assertThat(deliveries.takeFirst(false, at(Duration.ofMillis(3)))).isSameAs(cancelled);
    }

    @Test
    void claimOfAPollSentBeforeACancellationIsConfirmed() {
        now = at(Duration.ofMillis(1));
        assertThat(deliveries.cancelledOrReplaced("")).isFalse();
        added("claimed before");
        assertThat(deliveries.isConfirmationRequested()).isTrue();
        assertThat(deliveries.takeFirst(false, now)).isNull();
    }

    @Test
    void lostDeliveryNoLongerWaits() {
        ClaimedDelivery lost = added("lost");
        ClaimedDelivery held = added("held");
        List<Renewal> due = deliveries.takeRenewals(at(10));
        Extend rejected = due.stream()
                .filter(each -> each.delivery() == lost)
                .map(Renewal::extend)
                .findFirst()
                .orElseThrow();
        assertThat(deliveries.renewed(due, Set.of(rejected), at(10), at(10))).containsExactly(lost);
        assertThat(deliveries.size()).isEqualTo(1);
        assertThat(deliveries.takeFirst(false, at(10))).isSameAs(held);
        assertThat(deliveries.takeFirst(true, at(10))).isNull();
        assertThat(deliveries.waitingBytes()).isZero();
    }
}
