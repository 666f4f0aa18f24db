package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.LimitStatus.HeldBackBy;
import io.delayqueue.message.Counts;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.message.TopicLimits.Rate;
import io.delayqueue.store.LimitState;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.script.RegisteredLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What an operator is told of the limits of a topic. */
class LimitStatusTests {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final TopicLimits LIMITS = new TopicLimits(3, Rate.parse("100/1m"), 100L);
    private static final RegisteredLimits DECLARED = new RegisteredLimits(LIMITS, null);

    private static LimitState state(@Nullable Instant reopensAt, LimitState.@Nullable Hold hold) {
        return new LimitState(3, 600_000, 100, NOW, reopensAt, false, hold);
    }

    private static LimitStatus status(long ready, long suspects, long leased, LimitState state) {
        return LimitStatus.of(
                DECLARED,
                List.of(new ShardCounts(
                        Counts.of(20, ready, suspects, leased, 7, 7, Duration.ofSeconds(ready > 0 ? 9 : 0)), state)));
    }

    @Test
    void aTopicWithoutDueMessagesIsNotHeldBack() {
        LimitStatus status = status(0, 0, 3, state(NOW.plusMillis(1), null));
        assertThat(status.declared()).isEqualTo(LIMITS);
        assertThat(status.set()).isNull();
        assertThat(status.effective()).isEqualTo(LIMITS);
        assertThat(status.used()).isEqualTo(3);
        assertThat(status.heldBackBy()).isNull();
        assertThat(status.heldBackSince()).isNull();
        assertThat(status.emptyAt()).isNull();
        assertThat(status.reopensAt()).isEqualTo(NOW.plusMillis(1));
    }

    @Test
    void dueMessagesThatTheLimitsPermitAreNotHeldBack() {
        assertThat(status(50, 0, 2, state(null, null)).heldBackBy()).isNull();
    }

    @Test
    void aClosedRateTellsWhenTheTopicIsEmpty() {
        LimitStatus status = status(50, 0, 2, state(NOW.plusMillis(400), null));
        assertThat(status.heldBackBy()).isEqualTo(HeldBackBy.RATE);
        assertThat(status.heldBackSince()).isEqualTo(NOW.minusSeconds(9));
        assertThat(status.reopensAt()).isEqualTo(NOW.plusMillis(400));
        assertThat(status.emptyAt()).isEqualTo(NOW.plusSeconds(30));
    }

    @Test
    void usedPlacesComeBeforeTheRate() {
        LimitStatus status = status(50, 0, 3, state(NOW.plusMillis(400), null));
        assertThat(status.heldBackBy()).isEqualTo(HeldBackBy.CONCURRENCY);
        assertThat(status.emptyAt()).isNull();
    }

    @Test
    void keysAtTheirLimitComeLast() {
        LimitState keysAtLimit = new LimitState(3, 600_000, 100, NOW, null, true, null);
        assertThat(status(50, 0, 2, keysAtLimit).heldBackBy()).isEqualTo(HeldBackBy.CONCURRENCY_PER_KEY);
        assertThat(status(50, 0, 3, keysAtLimit).heldBackBy()).isEqualTo(HeldBackBy.CONCURRENCY);
        assertThat(status(0, 0, 2, keysAtLimit).heldBackBy()).isNull();
    }

    @Test
    void aHoldComesFirst() {
        LimitStatus status =
                status(50, 0, 3, state(NOW.plusMillis(400), new LimitState.Hold(NOW.plusSeconds(5), 2, "a")));
        assertThat(status.heldBackBy()).isEqualTo(HeldBackBy.HOLD);
        assertThat(status.reopensAt()).isEqualTo(NOW.plusSeconds(5));
        assertThat(status.hold()).isEqualTo(new LimitStatus.Hold(NOW.plusSeconds(5), "a", 2));
    }

    @Test
    void suspectsAreNotHeldBack() {
        assertThat(status(2, 2, 3, state(null, null)).heldBackBy()).isNull();
    }

    @Test
    void messagesThatWaitForTheirKeysAreHeldBackByHoldsOnly() {
        LimitState.Hold hold = new LimitState.Hold(NOW.plusSeconds(5), 2, "a");

        assertThat(parked(5, 0, 5, state(NOW.plusMillis(400), null)).heldBackBy())
                .isNull();
        assertThat(parked(6, 1, 5, state(NOW.plusMillis(400), null)).heldBackBy())
                .isNull();
        assertThat(parked(6, 0, 5, state(NOW.plusMillis(400), null)).heldBackBy())
                .isEqualTo(HeldBackBy.CONCURRENCY);
        assertThat(parked(5, 0, 5, state(null, hold)).heldBackBy()).isEqualTo(HeldBackBy.HOLD);
    }

    private static LimitStatus parked(long ready, long suspects, long parked, LimitState state) {
        TopicCounts counts =
                new TopicCounts(20, ready, suspects, parked, 3, 0, 0, 0, Duration.ofSeconds(9), null, null, null);
        return LimitStatus.of(DECLARED, List.of(new ShardCounts(counts, state)));
    }

    @Test
    void scheduledReadyAndLeasedMessagesFillATopic() {
        assertThat(status(77, 0, 2, state(null, null)).full()).isFalse();
        assertThat(status(77, 0, 3, state(null, null)).full()).isTrue();
    }

    @Test
    void aTopicWithoutLimitsAndHoldHasNoStatus() {
        List<ShardCounts> two = List.of(ShardCounts.ZERO, ShardCounts.ZERO);
        assertThat(LimitStatus.ofLimited(RegisteredLimits.NONE, two)).isNull();
        assertThat(LimitStatus.ofLimited(RegisteredLimits.NONE, List.of(ShardCounts.ZERO)))
                .isNull();
        LimitStatus held = LimitStatus.ofLimited(
                RegisteredLimits.NONE,
                List.of(new ShardCounts(
                        TopicCounts.ZERO,
                        new LimitState(0, 0, 0, NOW, null, false, new LimitState.Hold(NOW, 1, "a")))));
        assertThat(held).isNotNull();
        assertThat(held.effective()).isEqualTo(TopicLimits.NONE);
        assertThat(LimitStatus.ofLimited(DECLARED, List.of(ShardCounts.ZERO))).isNotNull();
    }
}
