package io.delayqueue.container.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.container.delivery.Lookout.Reason;
import io.delayqueue.store.StepReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LookoutTests {

    private static final long SWEEP = Duration.ofSeconds(5).toNanos();
    private static final long REDIS_MILLIS = 1_700_000_000_000L;

    private long nanos = 1_000_000;
    private long perReading;
    private final RedisClock clock = new RedisClock(this::nanoTime);
    private final AtomicInteger wakes = new AtomicInteger();
    private final Lookout lookout = new Lookout("me", clock, this::nanoTime, wakes::incrementAndGet);

    @BeforeEach
    void firstLook() {
        assertThat(reason(true)).isEqualTo(Reason.ASKED);
        lookout.looking();
        saw(StepReply.NEVER, StepReply.NEVER, 10);
        wakes.set(0);
    }

    private void saw(long nextDue, long nextLeaseEnd, int asked) {
        clock.set(redisMillis() * 1000);
        lookout.saw(
                new StepReply(
                        redisMillis() * 1000,
                        nextDue,
                        nextLeaseEnd,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of()),
                asked,
                false);
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

    private Reason reason(boolean watches) {
        return lookout.reason(watches, false, 10, SWEEP);
    }

    private Duration untilLook() {
        return Duration.ofNanos(lookout.nanosUntilLook(true, false, 10, SWEEP));
    }

    @Test
    void watcherSleepsUntilTheHeadIsDueOrTheSweep() {
        assertThat(untilLook()).isEqualTo(Duration.ofSeconds(5));
        lookout.headAt(redisMillis() + 2000);
        assertThat(wakes).hasValue(1);
        assertThat(untilLook()).isEqualTo(Duration.ofSeconds(2));
        pass(Duration.ofMillis(1999));
        assertThat(reason(true)).isEqualTo(Reason.NONE);
        pass(Duration.ofMillis(1));
        assertThat(reason(true)).isEqualTo(Reason.DUE);
        assertThat(untilLook()).isZero();
    }

    @Test
    void laterHeadWakesNobody() {
        lookout.headAt(redisMillis() + 2000);
        lookout.headAt(redisMillis() + 2000);
        lookout.headAt(redisMillis() + 3000);
        assertThat(wakes).hasValue(1);
    }

    @Test
    void signalDuringAStepForcesAnother() {
        lookout.looking();
        lookout.headAt(redisMillis());
        saw(StepReply.NEVER, StepReply.NEVER, 10);
        assertThat(reason(true)).isEqualTo(Reason.DUE);
        lookout.looking();
        lookout.surplus("other");
        saw(StepReply.NEVER, StepReply.NEVER, 10);
        assertThat(reason(false)).isEqualTo(Reason.ASKED);
        lookout.looking();
        lookout.resubscribed();
        saw(StepReply.NEVER, StepReply.NEVER, 10);
        assertThat(reason(false)).isEqualTo(Reason.ASKED);
    }

    @Test
    void othersLookOnlyWhenMessagesWereLeftBehindAndTheyHaveRoom() {
        lookout.headAt(redisMillis());
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        lookout.surplus("me");
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        lookout.surplus("other");
        assertThat(lookout.reason(false, true, 0, SWEEP)).isEqualTo(Reason.NONE);
        assertThat(reason(false)).isEqualTo(Reason.ASKED);
    }

    @Test
    void whoClaimedAllItCouldLooksAgainWhileMoreIsDue() {
        lookout.looking();
        saw(redisMillis() - 1, StepReply.NEVER, 10);
        assertThat(reason(false)).isEqualTo(Reason.ASKED);
        lookout.looking();
        saw(redisMillis() + 1000, StepReply.NEVER, 10);
        assertThat(reason(false)).isEqualTo(Reason.NONE);
    }

    @Test
    void endOfALeaseIsLookedAtButNotMoreThanOnceASecond() {
        saw(StepReply.NEVER, redisMillis() + 2000, 10);
        assertThat(untilLook()).isEqualTo(Duration.ofSeconds(2));
        pass(Duration.ofSeconds(2));
        assertThat(reason(true)).isEqualTo(Reason.ASKED);
        saw(StepReply.NEVER, redisMillis() - 1, 10);
        assertThat(untilLook()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void sweepComesWhateverIsKnown() {
        saw(redisMillis() + 3_600_000, StepReply.NEVER, 10);
        pass(Duration.ofNanos(SWEEP));
        assertThat(reason(true)).isEqualTo(Reason.SWEEP);
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        assertThat(lookout.nanosUntilLook(false, true, 10, SWEEP)).isGreaterThan(SWEEP);
    }

    @Test
    void whoDoesNotWatchLooksASweepAfterWhatWasDueButHasNotBeenTaken() {
        lookout.headAt(redisMillis() + 1000);
        assertThat(lookout.nanosUntilLook(false, true, 10, SWEEP))
                .isEqualTo(Duration.ofSeconds(6).toNanos());
        assertThat(lookout.nanosUntilLook(false, true, 0, SWEEP)).isEqualTo(Long.MAX_VALUE);
        pass(Duration.ofSeconds(6));
        assertThat(reason(false)).isEqualTo(Reason.SWEEP);
        lookout.looking();
        saw(StepReply.NEVER, StepReply.NEVER, 10);
        assertThat(reason(false)).isEqualTo(Reason.NONE);
        assertThat(lookout.nanosUntilLook(false, true, 10, SWEEP)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void fullWatcherAnnouncesOnceWhatItLeavesBehind() {
        lookout.looking();
        clock.set(redisMillis() * 1000);
        lookout.headAt(redisMillis());
        assertThat(lookout.reason(true, true, 0, SWEEP)).isEqualTo(Reason.DUE);
        lookout.looking();
        lookout.saw(
                new StepReply(
                        redisMillis() * 1000,
                        redisMillis(),
                        StepReply.NEVER,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of()),
                0,
                true);
        assertThat(lookout.reason(true, true, 0, SWEEP)).isEqualTo(Reason.NONE);
        assertThat(lookout.reason(true, true, 1, SWEEP)).isEqualTo(Reason.DUE);
    }

    @Test
    void aHeadThatBecomesDueWhileTheWaitIsComputedIsNotWaitedForUntilTheSweep() {
        for (long ahead = 0; ahead < 10_000; ahead += 100) {
            perReading = 0;
            lookout.looking();
            long due = redisMillis() + 1;
            saw(due, StepReply.NEVER, 10);
            nanos += clock.nanosUntil(due) - ahead;
            perReading = 700;
            assertThat(untilLook()).as("due in " + ahead + " ns").isLessThan(Duration.ofMillis(1));
        }
    }
}
