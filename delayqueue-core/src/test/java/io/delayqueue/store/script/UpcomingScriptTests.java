package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.store.Forecast;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Counting messages by when they will be due. */
class UpcomingScriptTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private static Forecast upcoming(long width, int buckets) {
        return bench.reader()
                .upcoming(bench.shard(), Duration.ofMillis(width), buckets)
                .join()
                .orElseThrow();
    }

    @Test
    void eachMessageIsCountedOnce() {
        bench.given(new ShardState()
                .scheduled("long ago", 5)
                .and("scheduled now 0, retrying 'at once' 1 1, "
                        + "scheduled 'at the first border' 10, scheduled 'behind it' 11, "
                        + "scheduled 'at the last border' 30, scheduled later 31, "
                        + "leased held 0 w1-1 5, deadLetter dead w1-1 0 REQUESTED 1 0"));
        assertThat(upcoming(10, 3))
                .isEqualTo(new Forecast(
                        Instant.ofEpochMilli(T0), 2, List.of(2L, 1L, 1L), 1, Instant.ofEpochMilli(T0 + 31)));
    }

    @Test
    void bucketsBehindTheLatestDueTimeCostNothing() {
        bench.given(state("scheduled a 10, scheduled b 30"));
        assertThat(bench.commands(() -> assertThat(upcoming(10, 100).counts())
                        .startsWith(1L, 0L, 1L, 0L)
                        .hasSize(100)))
                .containsEntry("zcount", 5L);
    }

    @Test
    void withoutScheduledMessagesNoneIsTheLatest() {
        bench.given(state("scheduled due 0"));
        assertThat(upcoming(10, 2)).isEqualTo(new Forecast(Instant.ofEpochMilli(T0), 1, List.of(0L, 0L), 0, null));
    }

    @Test
    void whatIsDueLastOfAllIsCountedAsLater() {
        bench.send(Sends.at("a", PollReply.NEVER));
        assertThat(upcoming(Duration.ofDays(3000).toMillis(), 120).later()).isEqualTo(1);
    }
}
