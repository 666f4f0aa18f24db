package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.container.ClaimBudget.Share;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimBudgetTests {

    private final List<String> woken = new ArrayList<>();
    private final ClaimBudget measured = budget(4, 1000);

    private static ClaimBudget budget(int handled, int prefetch) {
        return new ClaimBudget(handled, prefetch, Duration.ofMillis(5));
    }

    private Share share(ClaimBudget budget, String name) {
        return budget.share(Claims.task(time -> woken.add(time.isZero() ? name : name + " within " + time.toMillis())));
    }

    private static void claim(Share share, int messages) {
        share.reserve(500);
        share.claimed(messages);
        share.endReservation();
    }

    @Test
    void singlePollerMayUseTheWholeBudget() {
        Share alone = share(budget(8, 8), "alone");

        assertThat(alone.capacity()).isEqualTo(16);
        assertThat(alone.reserve(500)).isEqualTo(16);
        alone.claimed(10);
        alone.endReservation();

        assertThat(alone.capacity()).isEqualTo(6);
        alone.freed(10);
        assertThat(alone.capacity()).isEqualTo(16);
    }

    @Test
    void pollerWithoutDueMessagesLeavesTheBudgetToOthers() {
        ClaimBudget budget = budget(8, 8);
        share(budget, "idle").wants(false);
        Share busy = share(budget, "busy");
        busy.wants(true);

        assertThat(busy.reserve(500)).isEqualTo(16);
    }

    @Test
    void wantingPollersShareEvenly() {
        ClaimBudget budget = budget(8, 8);
        Share first = share(budget, "first");
        Share second = share(budget, "second");
        first.wants(true);
        second.wants(true);

        assertThat(first.reserve(500)).isEqualTo(8);
        assertThat(second.reserve(500)).isEqualTo(8);
        assertThat(first.reserve(500)).isZero();
    }

    @Test
    void pollerWithoutCapacityIsWokenAndServedFirst() {
        ClaimBudget budget = budget(1, 0);
        Share first = share(budget, "first");
        Share second = share(budget, "second");
        first.wants(true);
        claim(first, 1);
        second.wants(true);
        assertThat(woken).isEmpty();

        first.freed(1);

        assertThat(woken).containsExactly("second");
        assertThat(first.capacity()).isZero();
        assertThat(second.reserve(500)).isEqualTo(1);
    }

    @Test
    void pollerWithMoreThanItsPartBlocksNoOther() {
        ClaimBudget budget = budget(8, 0);
        Share first = share(budget, "first");
        Share second = share(budget, "second");
        first.wants(true);
        claim(first, 8);
        assertThat(first.wants(true)).isZero();
        assertThat(second.wants(true)).isZero();
        woken.clear();

        first.freed(1);

        assertThat(woken).containsExactly("second within 5");
        assertThat(first.capacity()).isZero();
        assertThat(second.reserve(500)).isEqualTo(1);
    }

    @Test
    void lastWantingPollerIsWokenForTheRest() {
        ClaimBudget budget = budget(8, 0);
        Share first = share(budget, "first");
        Share second = share(budget, "second");
        first.wants(true);
        second.wants(true);
        claim(first, 4);
        assertThat(first.wants(true)).isZero();
        woken.clear();

        second.wants(false);

        assertThat(woken).containsExactly("first");
        assertThat(first.capacity()).isEqualTo(4);
    }

    @Test
    void smallFreedCapacityIsGathered() {
        ClaimBudget budget = budget(10, 10);
        Share first = share(budget, "first");
        Share second = share(budget, "second");
        first.wants(true);
        first.reserve(500);
        second.wants(true);

        first.freed(1);
        first.freed(3);
        first.freed(1);

        assertThat(woken).containsExactly("second within 5", "second within 5", "second");
    }

    @Test
    void closedShareLeavesTheWholeBudgetToTheOthers() {
        ClaimBudget budget = budget(1, 0);
        Share closed = share(budget, "closed");
        Share other = share(budget, "other");
        closed.wants(true);
        closed.reserve(500);
        closed.claimed(1);
        other.wants(true);

        closed.close();
        closed.endReservation();
        closed.freed(1);
        closed.wants(true);

        assertThat(woken).contains("other");
        assertThat(closed.reserve(500)).isZero();
        assertThat(other.reserve(500)).isEqualTo(1);
        assertThat(other.capacity()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 40})
    void budgetIsNeverExceededAndNoPollerStarves(int whole) throws Exception {
        ClaimBudget budget = budget(whole, 0);
        AtomicInteger taken = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        int pollers = 8;
        int rounds = 2000;
        CountDownLatch done = new CountDownLatch(pollers);
        List<AtomicInteger> served = new ArrayList<>();
        for (int p = 0; p < pollers; p++) {
            AtomicInteger count = new AtomicInteger();
            served.add(count);
            Random random = new Random(p);
            Thread thread = new Thread(() -> poll(budget, count, rounds, taken, most, random, done));
            thread.setDaemon(true);
            thread.start();
        }
        done.await();

        assertThat(most.get()).isLessThanOrEqualTo(whole);
        assertThat(served).allSatisfy(count -> assertThat(count.get()).isGreaterThanOrEqualTo(rounds));
        assertThat(share(budget, "last").capacity()).isEqualTo(whole);
    }

    private static void poll(
            ClaimBudget budget,
            AtomicInteger served,
            int rounds,
            AtomicInteger taken,
            AtomicInteger most,
            Random random,
            CountDownLatch done) {
        Semaphore calls = new Semaphore(0);
        Share share = budget.share(Claims.task(time -> calls.release()));
        Deque<Integer> held = new ArrayDeque<>();
        while (served.get() < rounds) {
            int reserved = share.reserve(500);
            int claimed = reserved == 0 ? 0 : random.nextInt(reserved) + 1;
            most.accumulateAndGet(taken.addAndGet(claimed), Math::max);
            share.claimed(claimed);
            share.endReservation();
            served.addAndGet(claimed);
            held.add(claimed);
            if (claimed == 0 || random.nextBoolean()) {
                giveBack(share, held, taken);
            }
            int capacity = share.wants(true);
            if (capacity == 0) {
                giveBack(share, held, taken);
                capacity = share.wants(true);
            }
            if (capacity == 0) {
                calls.acquireUninterruptibly();
                calls.drainPermits();
            }
        }
        giveBack(share, held, taken);
        share.wants(false);
        done.countDown();
    }

    private static void giveBack(Share share, Deque<Integer> held, AtomicInteger taken) {
        while (!held.isEmpty()) {
            int freed = held.remove();
            taken.addAndGet(-freed);
            share.freed(freed);
        }
    }

    private void handled(Duration time, int times) {
        for (int i = 0; i < times; i++) {
            measured.handled(time.toNanos(), 1);
        }
    }

    @Test
    void unmeasuredListenersClaimOnePerWorkerInAdvance() {
        assertThat(measured.prefetch()).isEqualTo(4);
        assertThat(budget(4, 2).prefetch()).isEqualTo(2);
        assertThat(budget(4, 0).prefetch()).isZero();
    }

    @Test
    void fastHandlersGetWhatTheyHandleInAQuarterOfASecond() {
        handled(Duration.ofMillis(10), 100);
        assertThat(measured.prefetch()).isEqualTo(100);
        handled(Duration.ofNanos(0), 1000);
        assertThat(measured.prefetch()).isEqualTo(1000);
    }

    @Test
    void slowHandlersLeaveMessagesToOtherNodes() {
        handled(Duration.ofSeconds(2), 1);
        assertThat(measured.prefetch()).isZero();
        handled(Duration.ofMillis(1), 200);
        assertThat(measured.prefetch()).isGreaterThan(500);
        handled(Duration.ofSeconds(1), 30);
        assertThat(measured.prefetch()).isLessThan(2);
    }

    @Test
    void batchesAreMeasuredByTheMessage() {
        measured.handled(Duration.ofMillis(100).toNanos(), 10);
        assertThat(measured.prefetch()).isEqualTo(100);
    }

    @Test
    void afterAReleaseNothingIsClaimedInAdvanceUntilAHandlerEnds() {
        handled(Duration.ofMillis(10), 100);
        share(measured, "any").released();
        assertThat(measured.prefetch()).isZero();
        handled(Duration.ofMillis(10), 1);
        assertThat(measured.prefetch()).isEqualTo(100);
    }

    @Test
    void nothingIsClaimedInAdvanceWhileAPollerMeetsCrashes() {
        ClaimBudget budget = budget(4, 4);
        Share calm = share(budget, "calm");
        Share crashed = share(budget, "crashed");
        assertThat(calm.reserve(500)).isEqualTo(8);
        assertThat(calm.handlers()).isEqualTo(4);
        calm.claimed(8);
        calm.endReservation();
        crashed.claimsNothingInAdvance(true);
        assertThat(crashed.wants(true)).isZero();

        calm.freed(4);
        assertThat(calm.capacity()).isZero();
        assertThat(woken).isEmpty();
        calm.freed(2);
        assertThat(woken).containsExactly("crashed");
        assertThat(crashed.reserve(500)).isEqualTo(2);
        assertThat(crashed.handlers()).isEqualTo(2);
        crashed.endReservation();

        crashed.claimsNothingInAdvance(false);
        assertThat(crashed.reserve(500)).isEqualTo(6);
        assertThat(crashed.handlers()).isEqualTo(2);
    }

    @Test
    void pollerThatWantsNothingMeetsNoCrashes() {
        ClaimBudget budget = budget(4, 4);
        Share calm = share(budget, "calm");
        Share crashed = share(budget, "crashed");
        crashed.claimsNothingInAdvance(true);
        assertThat(calm.capacity()).isEqualTo(4);

        crashed.wants(false);
        assertThat(calm.capacity()).isEqualTo(8);
        crashed.claimsNothingInAdvance(true);
        crashed.close();
        assertThat(calm.capacity()).isEqualTo(8);
    }

    @Test
    void oneProbeIsClaimedBesideWhatWasHeldBefore() {
        ClaimBudget budget = budget(8, 8);
        Share share = share(budget, "probing");
        share.reserve(3);
        int before = share.claimed(3);
        share.endReservation();
        budget.probe(true);

        assertThat(share.reserve(500)).isEqualTo(1);
        assertThat(share.capacity()).isZero();
        share.endReservation(); // the poll found no message
        assertThat(share.capacity()).isEqualTo(1);

        share.reserve(500);
        int probe = share.claimed(1);
        share.endReservation();
        share.end(before);
        assertThat(share.capacity()).isZero();
        share.end(probe);
        assertThat(share.capacity()).isEqualTo(1);

        budget.probe(false);
        assertThat(share.capacity()).isEqualTo(14);
    }
}
