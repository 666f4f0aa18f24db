package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.container.LeaseKeeper.Due;
import io.delayqueue.container.LeaseKeeper.Extension;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LeaseKeeperTests {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration HANDLING = Duration.ofMinutes(1);
    private static final Duration CONFIRM = Duration.ofSeconds(1);

    /** Where the monotonic clock may stand when a test begins: it overflows within. */
    private final long start = Long.MAX_VALUE - Duration.ofSeconds(20).toNanos();

    private static final ClaimBudget.Share SHARE = new ClaimBudget(1000, 0, Duration.ZERO).share(Claims.NO_TASK);
    private final LeaseKeeper keeper = new LeaseKeeper(SHARE, HANDLING, CONFIRM);

    private long at(Duration time) {
        return start + time.toNanos();
    }

    private long at(long seconds) {
        return at(Duration.ofSeconds(seconds));
    }

    private ClaimedDelivery added(String id) {
        ClaimedDelivery delivery = Claims.delivery(id, LEASE, start, start);
        keeper.add(List.of(delivery));
        return delivery;
    }

    private static List<Renewal> renewals(List<Due> due) {
        return due.stream().map(Due::renewal).toList();
    }

    @Test
    void leaseIsRenewedWhenAThirdOfItIsOver() {
        ClaimedDelivery delivery = added("a");
        assertThat(keeper.nextRenewal()).isEqualTo(at(10));
        assertThat(keeper.hasWork(at(9))).isFalse();
        assertThat(keeper.hasWork(at(10))).isTrue();
        List<Due> due = keeper.take(at(10));
        assertThat(renewals(due)).containsExactly(new Renewal("a", "token", LEASE));
        keeper.renewed(due, at(10), at(11));
        assertThat(keeper.nextRenewal()).isEqualTo(at(20));
        assertThat(delivery.leaseDeadline()).isEqualTo(at(40));
    }

    @Test
    void nothingIsRenewedAfterTheHandlingTimeOrWhenSettledOrLost() {
        ClaimedDelivery tooLong = added("a");
        tooLong.started(start);
        ClaimedDelivery lost = added("b");
        lost.lose();
        ClaimedDelivery answered = added("c");
        answered.settle(Claims.NOBODY.retryOnDemand(answered, Duration.ZERO));
        assertThat(renewals(keeper.take(at(10)))).extracting(Renewal::id).containsExactly("a");
        keeper.renewed(List.of(), at(10), at(10));
        assertThat(keeper.take(at(61))).isEmpty();
        assertThat(keeper.nextRenewal()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void deliveryThatWaitedIsConfirmedBeforeItStarts() {
        ClaimedDelivery delivery = added("a");
        assertThat(keeper.mayStart(delivery, at(Duration.ofMillis(999)))).isTrue();
        assertThat(keeper.mayStart(delivery, at(1))).isFalse();
        keeper.requestConfirmation();
        List<Due> due = keeper.take(at(1));
        assertThat(due).hasSize(1);
        assertThat(keeper.isConfirmationRequested()).isFalse();
        keeper.renewed(due, at(1), at(2));
        assertThat(keeper.mayStart(delivery, at(2))).isTrue();
    }

    @Test
    void deliveryConfirmedByASlowReplyStillStarts() {
        ClaimedDelivery slow = Claims.delivery("slow", LEASE, start, at(5));
        keeper.add(List.of(slow));
        assertThat(keeper.mayStart(slow, at(5))).isTrue();
        ClaimedDelivery tooSlow = Claims.delivery("too slow", LEASE, start, at(30));
        keeper.add(List.of(tooSlow));
        assertThat(keeper.mayStart(tooSlow, at(30))).isFalse();
    }

    @Test
    void startedDeliveriesNeedNoConfirmation() {
        ClaimedDelivery started = added("started");
        started.started(start);
        added("waiting");
        keeper.requestConfirmation();
        assertThat(renewals(keeper.take(at(2)))).extracting(Renewal::id).containsExactly("waiting");
    }

    @Test
    void extensionsOfOneDeliveryAskForTheLongestAndNoneShortens() {
        ClaimedDelivery delivery = added("a");
        delivery.started(start);
        CompletableFuture<Boolean> first = new CompletableFuture<>();
        CompletableFuture<Boolean> second = new CompletableFuture<>();
        keeper.extend(new Extension(delivery, Duration.ofHours(1), first));
        keeper.extend(new Extension(delivery, Duration.ofSeconds(1), second));
        List<Due> due = keeper.take(at(10));
        assertThat(due).extracting(Due::result).containsExactly(first, second);
        assertThat(renewals(due)).containsOnly(new Renewal("a", "token", Duration.ofHours(1)));
        keeper.renewed(due, at(10), at(10));
        assertThat(delivery.leaseDeadline()).isEqualTo(at(3610));

        keeper.extend(new Extension(delivery, Duration.ofMinutes(1), new CompletableFuture<>()));
        assertThat(renewals(keeper.take(at(10)))).containsExactly(new Renewal("a", "token", Duration.ofHours(1)));
    }

    @Test
    void moreThanATaskMayRenewIsRenewedByTheNext() {
        List<ClaimedDelivery> many = IntStream.range(0, PollRequest.MAX_BATCH + 20)
                .mapToObj(i -> Claims.delivery("m" + i, LEASE, start, start))
                .toList();
        keeper.add(many);
        List<Due> first = keeper.take(at(10));
        assertThat(first).hasSize(PollRequest.MAX_BATCH);
        assertThat(keeper.hasWork(at(10))).isTrue();
        keeper.renewed(first, at(10), at(10));
        List<Due> second = keeper.take(at(10));
        assertThat(second).hasSize(20);
        keeper.renewed(second, at(10), at(10));
        assertThat(keeper.hasWork(at(11))).isFalse();
        many.forEach(keeper::remove);
        assertThat(keeper.size()).isZero();
    }
}
