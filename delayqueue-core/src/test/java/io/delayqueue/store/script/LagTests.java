package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.redis.Await;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.ShardState;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** For how long the oldest due message has been waiting. Unless a test says otherwise, it was sent at T0. */
class LagTests {

    private static final long YEARS_AGO = 1_000_000_000_000L;

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private static Duration lagAt(long now) {
        bench.clock(now);
        return Await.result(bench.store().count(bench.shard())).counts().lag();
    }

    @Test
    void oneThatWaitsLongerBehindSuchIsFoundAmongTheFirst() {
        bench.send(Sends.at("old", T0 + 10));
        bench.clock(T0 + 4000);
        for (int i = 0; i < 10; i++) {
            bench.send(Sends.at("young" + i, YEARS_AGO + i));
        }
        assertThat(lagAt(T0 + 5000)).isEqualTo(Duration.ofMillis(4990));
    }

    @Test
    void anUnreadableMessageWaitsFromItsDueTime() {
        bench.given(state("schedule orphan 1000, schedule b 2000").put("messages", "b", "9 what is this"));
        assertThat(lagAt(T0 + 5000)).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void itLooksAtOneMessageUnlessThatWasSentLate() {
        ShardState state = new ShardState();
        for (int i = 0; i < 200; i++) {
            state.scheduled("m" + i, T0 + i);
        }
        bench.given(state);
        bench.clock(T0 + 1000);
        assertThat(bench.commands(() -> Await.result(bench.store().count(bench.shard()))))
                .containsEntry("hget", 1L);
    }

    @Test
    void itLooksAtFewThatWereSentLateAndAtFewerIfTheyAreLarge() {
        bench.send(Sends.at("old", T0 + 10));
        bench.clock(T0 + 4000);
        bench.send(IntStream.range(0, 99).mapToObj(i -> Sends.at("m" + i, i)).toList());
        assertThat(lagAt(T0 + 5000)).isEqualTo(Duration.ofMillis(4990));
        bench.send(Sends.at("one more", 0));
        assertThat(lagAt(T0 + 5000)).isEqualTo(Duration.ofSeconds(1));
        assertThat(bench.commands(() -> Await.result(bench.store().count(bench.shard()))))
                .containsEntry("hget", 100L);
        for (int i = 0; i < 3; i++) {
            bench.cancel("m" + i);
            bench.send(Sends.large("m" + i, i, PollRequest.MAX_BYTES / 2));
        }
        assertThat(bench.commands(() -> Await.result(bench.store().count(bench.shard()))))
                .containsEntry("hget", 3L);
    }
}
