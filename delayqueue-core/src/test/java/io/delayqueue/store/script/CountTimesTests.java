package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The times that a count returns: of the last and the middle scheduled message, and of the oldest new dead letter. */
class CountTimesTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    @BeforeEach
    void clock() {
        bench.clock(T0);
    }

    private record Times(
            @Nullable Instant latestDue,
            @Nullable Instant medianDue,
            @Nullable Instant oldestUnreviewed) {}

    private static Times times(ShardState state) {
        bench.given(state);
        TopicCounts counts = Await.result(bench.store().count(bench.shard())).counts();
        return new Times(counts.latestDue(), counts.medianDue(), counts.oldestUnreviewed());
    }

    private static ShardState scheduled(long... due) {
        ShardState state = new ShardState();
        for (int i = 0; i < due.length; i++) {
            state.scheduled("m" + i, T0 + due[i]);
        }
        return state;
    }

    private static Times due(long latest, long median) {
        return new Times(Instant.ofEpochMilli(T0 + latest), Instant.ofEpochMilli(T0 + median), null);
    }

    @Test
    void anEmptyShardHasNoTimes() {
        assertThat(times(new ShardState())).isEqualTo(new Times(null, null, null));
    }

    @Test
    void dueMessagesAreNotScheduled() {
        assertThat(times(scheduled(-9, -5, 0))).isEqualTo(new Times(null, null, null));
        assertThat(times(scheduled(-9, -5, 0, 7))).isEqualTo(due(7, 7));
    }

    @Test
    void theMedianIsInTheMiddleOfTheScheduledMessages() {
        assertThat(times(scheduled(1, 2, 900))).isEqualTo(due(900, 2));
        assertThat(times(scheduled(1, 2, 3, 900))).isEqualTo(due(900, 2));
        assertThat(times(scheduled(-1, -2, 1, 2, 3, 4, 900))).isEqualTo(due(900, 3));
    }

    @Test
    void suspectsAreNotScheduled() {
        assertThat(times(scheduled(1, 2, 3).put("schedule", "suspect", 1_000_000_000_000_000L + T0)))
                .isEqualTo(due(3, 2));
    }

    @Test
    void theOldestDeadLetterSinceTheReviewIsFound() {
        ShardState state = new ShardState()
                .deadLetter("a", "t", T0 - 30, "REQUESTED", 1, T0, "")
                .deadLetter("b", "t", T0 - 20, "REQUESTED", 1, T0, "")
                .deadLetter("c", "t", T0 - 10, "REQUESTED", 1, T0, "");
        assertThat(times(state).oldestUnreviewed()).isEqualTo(Instant.ofEpochMilli(T0 - 30));
        assertThat(oldestAfterReviewAt(T0 - 30)).isEqualTo(Instant.ofEpochMilli(T0 - 20));
        assertThat(oldestAfterReviewAt(T0)).isNull();
    }

    private static @Nullable Instant oldestAfterReviewAt(long time) {
        bench.clock(time);
        Await.result(bench.store().markReviewed(bench.shard()));
        return Await.result(bench.store().count(bench.shard())).counts().oldestUnreviewed();
    }

    @Test
    void anEmptyShardReadsNoTimes() {
        bench.given(new ShardState());
        Map<String, Long> commands =
                bench.commands(() -> Await.result(bench.store().count(bench.shard())));
        assertThat(commands).doesNotContainKeys("zrevrangebyscore", "zrange", "zrangebyscore");
    }
}
