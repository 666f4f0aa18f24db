package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.RedisTest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes due in all topics. */
class UpcomingSamplerTests extends RedisTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private TopicSampler topics;
    private UpcomingSampler sampler;
    private long nanos = Long.MAX_VALUE - 5;

    @BeforeEach
    void assemble() {
        DelayQueueInspector inspector = queue.inspector();
        topics = new TopicSampler(
                inspector,
                () -> CompletableFuture.completedFuture(List.of()),
                Duration.ofSeconds(10),
                () -> Instant.EPOCH,
                () -> nanos);
        sampler = new UpcomingSampler(inspector, topics, () -> nanos);
    }

    private void send(String topic, Duration delay) {
        queue.template().send(DelayMessage.to(topic).payload("p").delay(delay).build());
    }

    private long counted(@Nullable Duration span) {
        Upcoming upcoming = sampler.recent(span);
        assertThat(upcoming.counts()).hasSize(UpcomingSampler.BUCKETS);
        return upcoming.counts().stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void theMessagesOfAllTopicsAreCounted() {
        send("a", Duration.ZERO);
        send("a", Duration.ofMinutes(50));
        send("b", Duration.ofMinutes(50));
        send("b", Duration.ofHours(5));
        send("c", Duration.ofDays(400));

        Upcoming hour = sampler.recent(HOUR);

        assertThat(hour.width()).isEqualTo(Duration.ofSeconds(150));
        assertThat(hour.overdue()).isEqualTo(1);
        assertThat(hour.counts().get(19)).isEqualTo(2);
        assertThat(hour.later()).isEqualTo(2);
        assertThat(Duration.between(hour.from(), hour.latest()).toDays()).isBetween(399L, 400L);
        assertThat(counted(DAY)).isEqualTo(3);
        assertThat(counted(null)).isEqualTo(4);
        assertThat(sampler.recent(null).later()).isZero();
    }

    @Test
    void anEmptyQueueHasNoLatest() {
        Upcoming all = sampler.recent(null);
        assertThat(all.counts()).isEqualTo(Collections.nCopies(24, 0L));
        assertThat(all.latest()).isNull();
        assertThat(all.width()).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void openPagesReadAtALimitedRate() {
        send("a", Duration.ofMinutes(1));
        assertThat(counted(HOUR)).isEqualTo(1);
        assertThat(counted(DAY)).isEqualTo(1);
        send("a", Duration.ofMinutes(1));

        // 2 readings of 32 commands, each of which is used for 50 ms
        nanos += Duration.ofMillis(3_199).toNanos();
        assertThat(counted(HOUR)).isEqualTo(1);
        nanos += Duration.ofMillis(1).toNanos();
        assertThat(counted(HOUR)).isEqualTo(2);
        assertThat(counted(DAY)).isEqualTo(1);
    }

    @Test
    void otherSpansAreRejected() {
        for (Duration span : List.of(Duration.ZERO, HOUR.minusMillis(1), HOUR.negated(), DAY.multipliedBy(2))) {
            assertThatThrownBy(() -> sampler.recent(span))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("The span of all topics must be PT1H, P1D or all");
        }
    }
}
