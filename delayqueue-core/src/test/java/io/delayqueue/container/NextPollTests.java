package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.container.NextPoll.Plan;
import io.delayqueue.container.NextPoll.Reason;
import io.delayqueue.store.Claim;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.RedisClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NextPollTests {

    private static final long SWEEP = Duration.ofSeconds(5).toNanos();
    private static final long REDIS_MILLIS = 1_700_000_000_000L;

    private long nanos = 1_000_000;
    private long perReading;
    private final RedisClock clock = new RedisClock(this::nanoTime);
    private final AtomicInteger wakes = new AtomicInteger();
    private final NextPoll nextPoll = new NextPoll("me", clock, this::nanoTime, wakes::incrementAndGet);

    @BeforeEach
    void firstPoll() {
        assertThat(reason(true)).isEqualTo(Reason.REQUESTED);
        nextPoll.began();
        saw(PollReply.NEVER, PollReply.NEVER);
        wakes.set(0);
    }

    private void saw(long nextDue, long nextLeaseEnd) {
        saw(nextDue, nextLeaseEnd, List.of(), false);
    }

    private void saw(long nextDue, long nextLeaseEnd, List<Claim> claims, boolean announced) {
        clock.set(redisMillis() * 1000);
        nextPoll.replied(
                new PollReply(
                        redisMillis() * 1000,
                        nextDue,
                        nextLeaseEnd,
                        claims,
                        List.of(),
                        List.of(),
                        List.of(),
                        false,
                        null),
                announced);
    }

    private long redisMillis() {
        return REDIS_MILLIS + nanos / 1_000_000;
    }

    private long nanoTime() {
        nanos += perReading;
        return nanos;
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private Reason reason(boolean isAssigned) {
        return reason(isAssigned, false, 10);
    }

    private Plan plan(boolean isAssigned, boolean peers, int capacity) {
        return nextPoll.plan(isAssigned, peers, capacity, nextPoll.hasDueMessages(isAssigned), SWEEP);
    }

    private Reason reason(boolean isAssigned, boolean peers, int capacity) {
        Plan plan = plan(isAssigned, peers, capacity);
        return plan.isNow() ? plan.reason() : Reason.NONE;
    }

    private Duration untilPoll() {
        return Duration.ofNanos(plan(true, false, 10).nanos());
    }

    @Test
    void assignedPollerSleepsUntilTheHeadIsDueOrTheSweep() {
        assertThat(untilPoll()).isEqualTo(Duration.ofSeconds(5));
        nextPoll.headAt(redisMillis() + 2000);
        assertThat(wakes).hasValue(1);
        assertThat(untilPoll()).isEqualTo(Duration.ofSeconds(2));
        pass(Duration.ofMillis(1999));
        assertThat(reason(true)).isEqualTo(Reason.NONE);
        pass(Duration.ofMillis(1));
        assertThat(reason(true)).isEqualTo(Reason.DUE);
        assertThat(untilPoll()).isZero();
    }

    @Test
    void laterHeadWakesNoPoller() {
        nextPoll.headAt(redisMillis() + 2000);
        nextPoll.headAt(redisMillis() + 2000);
        nextPoll.headAt(redisMillis() + 3000);
        assertThat(wakes).hasValue(1);
    }

    @Test
    void signalDuringATaskForcesAnother() {
        nextPoll.began();
        nextPoll.headAt(redisMillis());
        saw(PollReply.NEVER, PollReply.NEVER);
        assertThat(reason(true)).isEqualTo(Reason.DUE);
        nextPoll.began();
        nextPoll.dueMessagesLeft("other");
        saw(PollReply.NEVER, PollReply.NEVER);
        assertThat(reason(false)).isEqualTo(Reason.REQUESTED);
        nextPoll.began();
        nextPoll.pollNow();
        saw(PollReply.NEVER, PollReply.NEVER);
        assertThat(reason(false)).isEqualTo(Reason.REQUESTED);
    }

    @Test
    void othersPollForRemainingDueMessagesOnlyWithCapacity() {
        nextPoll.headAt(redisMillis());
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        nextPoll.dueMessagesLeft("me");
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        nextPoll.dueMessagesLeft("other");
        assertThat(reason(false, true, 0)).isEqualTo(Reason.NONE);
        assertThat(reason(false)).isEqualTo(Reason.REQUESTED);
    }

    @Test
    void remainingDueMessagesAreKnownAfterAPollWithoutCapacity() {
        nextPoll.dueMessagesLeft("other");
        nextPoll.pollNow();
        nextPoll.began();
        saw(redisMillis(), PollReply.NEVER);
        assertThat(nextPoll.hasDueMessages(false)).isTrue();
        assertThat(reason(false)).isEqualTo(Reason.REQUESTED);
        nextPoll.began();
        saw(PollReply.NEVER, PollReply.NEVER);
        assertThat(reason(false)).isEqualTo(Reason.NONE);
    }

    @Test
    void pollerThatUsedItsCapacityPollsAgainWhileMoreIsDue() {
        nextPoll.began();
        saw(redisMillis() - 1, PollReply.NEVER);
        assertThat(reason(false)).isEqualTo(Reason.REQUESTED);
        nextPoll.began();
        saw(redisMillis() + 1000, PollReply.NEVER);
        assertThat(reason(false)).isEqualTo(Reason.NONE);
    }

    @Test
    void leaseEndsCauseAtMostOnePollPerSecond() {
        saw(PollReply.NEVER, redisMillis() + 2000);
        assertThat(untilPoll()).isEqualTo(Duration.ofSeconds(2));
        pass(Duration.ofSeconds(2));
        assertThat(reason(true)).isEqualTo(Reason.LEASE_END);
        saw(PollReply.NEVER, redisMillis() - 1);
        assertThat(untilPoll()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void sweepHappensInAnyCase() {
        saw(redisMillis() + 3_600_000, PollReply.NEVER);
        pass(Duration.ofNanos(SWEEP));
        assertThat(reason(true)).isEqualTo(Reason.SWEEP);
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        assertThat(plan(false, true, 10).nanos()).isGreaterThan(SWEEP);
    }

    @Test
    void unassignedPollerPollsASweepAfterAnUntakenDueTime() {
        nextPoll.headAt(redisMillis() + 1000);
        assertThat(plan(false, true, 10).nanos())
                .isEqualTo(Duration.ofSeconds(6).toNanos());
        assertThat(plan(false, true, 0).nanos()).isEqualTo(Long.MAX_VALUE);
        pass(Duration.ofSeconds(6));
        assertThat(reason(false)).isEqualTo(Reason.SWEEP);
        nextPoll.began();
        saw(PollReply.NEVER, PollReply.NEVER);
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        assertThat(plan(false, true, 10).nanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void fullAssignedPollerSignalsRemainingDueMessagesOnce() {
        nextPoll.began();
        clock.set(redisMillis() * 1000);
        nextPoll.headAt(redisMillis());
        assertThat(reason(true, true, 0)).isEqualTo(Reason.DUE);
        nextPoll.began();
        saw(redisMillis(), PollReply.NEVER, List.of(), true);
        assertThat(reason(true, true, 0)).isEqualTo(Reason.NONE);
        assertThat(reason(true, true, 1)).isEqualTo(Reason.REQUESTED);
    }

    @Test
    void fullAssignedPollerPollsForEachSignalledHead() {
        saw(redisMillis(), PollReply.NEVER, List.of(), true);
        pass(Duration.ofMillis(10));
        nextPoll.headAt(redisMillis());
        assertThat(wakes).hasValue(1);
        assertThat(reason(true, true, 0)).isEqualTo(Reason.DUE);
    }

    @Test
    void pollerThatClaimedPollsAgainWhenTheNextMessageIsDue() {
        nextPoll.began();
        saw(redisMillis() + 1000, PollReply.NEVER, List.of(Claims.claim("m", 0)), false);
        nextPoll.began();
        saw(redisMillis() + 1000, PollReply.NEVER);
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        assertThat(plan(false, true, 10).nanos())
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        pass(Duration.ofSeconds(1));
        assertThat(reason(false)).isEqualTo(Reason.DUE);
        nextPoll.began();
        saw(redisMillis() + 1000, PollReply.NEVER);
        pass(Duration.ofSeconds(1));
        assertThat(reason(false)).isEqualTo(Reason.NONE);
    }

    @Test
    void headDueDuringTheWaitComputationDoesNotWaitForTheSweep() {
        for (long ahead = 0; ahead < 10_000; ahead += 100) {
            perReading = 0;
            nextPoll.began();
            long due = redisMillis() + 1;
            saw(due, PollReply.NEVER);
            nanos += clock.nanosUntil(due) - ahead;
            perReading = 700;
            assertThat(untilPoll()).as("due in " + ahead + " ns").isLessThan(Duration.ofMillis(1));
        }
    }

    @Test
    void messageThatBecomesDueAfterTheCapacityWasReadIsPlannedAtOnce() {
        saw(redisMillis() + 10, PollReply.NEVER);
        boolean dueBefore = nextPoll.hasDueMessages(true);
        pass(Duration.ofMillis(10));

        assertThat(nextPoll.plan(true, false, 0, dueBefore, SWEEP).isNow()).isTrue();
        assertThat(plan(true, false, 0).isNow()).isFalse();
    }
}
