package io.delayqueue.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.consume.NextPoll.Plan;
import io.delayqueue.consume.NextPoll.Reason;
import io.delayqueue.consume.NextPoll.Role;
import io.delayqueue.store.Claim;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.RedisClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NextPollTests {

    private static final Duration SWEEP = Duration.ofSeconds(5);
    private static final long REDIS_MILLIS = 1_700_000_000_000L;

    private long nanos = 1_000_000;
    private long perReading;
    private final RedisClock clock = new RedisClock(this::nanoTime);
    private final AtomicInteger wakes = new AtomicInteger();
    private final NextPoll nextPoll = new NextPoll("me", clock, this::nanoTime, wakes::incrementAndGet);

    @BeforeEach
    void firstPoll() {
        assertThat(reason(true)).isEqualTo(Reason.REQUESTED);
        nextPoll.began(Plan.NEVER);
        saw(PollReply.NEVER, PollReply.NEVER);
        wakes.set(0);
    }

    private void saw(long nextDue, long nextLeaseEnd) {
        saw(nextDue, nextLeaseEnd, List.of(), false);
    }

    private void saw(long nextDue, long nextLeaseEnd, List<Claim> claims, boolean announced) {
        clock.set(redisMicros());
        nextPoll.replied(
                new PollReply(
                        redisMicros(),
                        nextDue,
                        nextLeaseEnd,
                        claims,
                        List.of(),
                        List.of(),
                        List.of(),
                        false,
                        false,
                        null),
                announced);
    }

    private long redisMicros() {
        return REDIS_MILLIS * 1000 + nanos / 1000;
    }

    private long redisMillis() {
        return redisMicros() / 1000;
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
        Role role = new Role(isAssigned, peers, SWEEP);
        return nextPoll.plan(role, capacity, nextPoll.hasDueMessages(role));
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
    void overdueLeasesArePolledForOnceASecond() {
        saw(PollReply.NEVER, redisMillis() - 1000);
        assertThat(nextPoll.nanosUntilLeaseEnd())
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        pass(Duration.ofSeconds(1));
        assertThat(nextPoll.nanosUntilLeaseEnd()).isZero();
        assertThat(reason(true)).isEqualTo(Reason.LEASE_END);
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
        nextPoll.began(Plan.NEVER);
        nextPoll.headAt(redisMillis());
        saw(PollReply.NEVER, PollReply.NEVER);
        assertThat(reason(true)).isEqualTo(Reason.DUE);
        nextPoll.began(Plan.NEVER);
        nextPoll.dueMessagesLeft("other");
        saw(PollReply.NEVER, PollReply.NEVER);
        assertThat(reason(false)).isEqualTo(Reason.REQUESTED);
        nextPoll.began(Plan.NEVER);
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
        nextPoll.began(Plan.NEVER);
        saw(redisMillis(), PollReply.NEVER);
        assertThat(nextPoll.hasDueMessages(new Role(false, false, SWEEP))).isTrue();
        assertThat(reason(false)).isEqualTo(Reason.REQUESTED);
    }

    @Test
    void pollerThatUsedItsCapacityPollsAgainWhileMoreIsDue() {
        nextPoll.began(Plan.NEVER);
        saw(redisMillis() - 1, PollReply.NEVER);
        assertThat(reason(false)).isEqualTo(Reason.REQUESTED);
        nextPoll.began(Plan.NEVER);
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
        pass(SWEEP);
        assertThat(reason(true)).isEqualTo(Reason.SWEEP);
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        assertThat(plan(false, true, 10).nanos()).isGreaterThan(SWEEP.toNanos());
    }

    @Test
    void unassignedPollerPollsASweepAfterAnUntakenDueTime() {
        nextPoll.headAt(redisMillis() + 1000);
        assertThat(plan(false, true, 10).nanos())
                .isEqualTo(Duration.ofSeconds(6).toNanos());
        assertThat(plan(false, true, 0).nanos()).isEqualTo(Long.MAX_VALUE);
        pass(Duration.ofSeconds(6));
        assertThat(reason(false)).isEqualTo(Reason.SWEEP);
        nextPoll.began(Plan.NEVER);
        saw(PollReply.NEVER, PollReply.NEVER);
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        assertThat(plan(false, true, 10).nanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void fullAssignedPollerSignalsRemainingDueMessagesOnce() {
        nextPoll.began(Plan.NEVER);
        clock.set(redisMillis() * 1000);
        nextPoll.headAt(redisMillis());
        assertThat(reason(true, true, 0)).isEqualTo(Reason.DUE);
        nextPoll.began(Plan.NEVER);
        saw(redisMillis(), PollReply.NEVER, List.of(), true);
        assertThat(reason(true, true, 0)).isEqualTo(Reason.NONE);
        assertThat(reason(true, true, 1)).isEqualTo(Reason.REQUESTED);
    }

    @Test
    void pollerThatClaimedPollsAgainWhenTheNextMessageIsDue() {
        nextPoll.began(Plan.NEVER);
        saw(
                redisMillis() + 1000,
                PollReply.NEVER,
                List.of(new Claim("m", "token", 1, 1, 0, 0, false, null, new byte[0])),
                false);
        nextPoll.began(Plan.NEVER);
        saw(redisMillis() + 1000, PollReply.NEVER);
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        assertThat(plan(false, true, 10).nanos())
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        pass(Duration.ofSeconds(1));
        assertThat(reason(false)).isEqualTo(Reason.DUE);
        nextPoll.began(Plan.NEVER);
        saw(redisMillis() + 1000, PollReply.NEVER);
        pass(Duration.ofSeconds(1));
        assertThat(reason(false)).isEqualTo(Reason.NONE);
    }

    @Test
    void headDueDuringTheWaitComputationDoesNotWaitForTheSweep() {
        for (long ahead = 0; ahead < 10_000; ahead += 100) {
            perReading = 0;
            nextPoll.began(Plan.NEVER);
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
        Role role = new Role(true, false, SWEEP);
        boolean dueBefore = nextPoll.hasDueMessages(role);
        pass(Duration.ofMillis(10));

        assertThat(nextPoll.plan(role, 0, dueBefore).isNow()).isTrue();
        assertThat(plan(true, false, 0).isNow()).isFalse();
    }

    @Test
    void pollsArriveWhenMessageIsDue() {
        measureLead();

        assertThat(microsLate(200)).isZero();
    }

    @Test
    void firstPollsBeginAtTheDueTime() {
        for (int poll = 0; poll < 16; poll++) {
            assertThat(microsLate(200)).isEqualTo(200);
        }
    }

    @Test
    void pollThatArrivesEarlyIsRepeatedWhenMessageIsDue() {
        measureLead();
        long due = waitAndBegin();
        passMicros(50);
        saw(due, PollReply.NEVER); // 150 µs early

        assertThat(reason(true)).isEqualTo(Reason.NONE);
        passMicros(100);
        assertThat(reason(true)).isEqualTo(Reason.DUE);
    }

    @Test
    void pollsBeginLaterAfterOneThatArrivedEarly() {
        measureLead();

        assertThat(microsLate(50)).isEqualTo(-150);
        assertThat(microsLate(200)).isEqualTo(150);
    }

    @Test
    void delayedPollDoesNotChangeTheLead() {
        measureLead();

        assertThat(microsLate(50_000)).isEqualTo(49_800);
        assertThat(microsLate(200)).isZero();
    }

    @Test
    void pollForMessageThatWasDueWhenSignalledDoesNotChangeTheLead() {
        measureLead();
        for (int poll = 0; poll < 16; poll++) {
            nextPoll.headAt(redisMillis());
            passMicros(800);
            nextPoll.began(plan(true, false, 10));
            saw(PollReply.NEVER, PollReply.NEVER);
        }

        assertThat(microsLate(200)).isZero();
    }

    /** Lets as many polls as are measured take 200 µs. */
    private void measureLead() {
        for (int poll = 0; poll < 16; poll++) {
            microsLate(200);
        }
    }

    /**
     * Waits for the poll for a message and lets it take a time to Redis.
     *
     * @return by how many µs it arrived late; negative if early
     */
    private long microsLate(long took) {
        long due = waitAndBegin();
        passMicros(took);
        long late = redisMicros() - due * 1000;
        saw(PollReply.NEVER, PollReply.NEVER);
        return late;
    }

    private long waitAndBegin() {
        long due = redisMillis() + 10;
        nextPoll.headAt(due);
        pass(Duration.ofNanos(plan(true, false, 10).nanos()));
        assertThat(reason(true)).isEqualTo(Reason.DUE);
        nextPoll.began(plan(true, false, 10));
        return due;
    }

    private void passMicros(long micros) {
        nanos += micros * 1000;
    }
}
