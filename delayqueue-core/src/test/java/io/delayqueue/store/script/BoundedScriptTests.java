package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Claim;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.Purge;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Thousands of messages due in one millisecond: whatever stands behind, no script does more than its bound. The bounds
 * are counts of commands, each of which touches 500 elements at most.
 */
class BoundedScriptTests {

    private static final int MESSAGES = 4_000;
    private static final int BATCH = PollRequest.MAX_BATCH;

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private long sequence;

    @Test
    void messagesDueAtOnceAreDrainedByBoundedPolls() {
        load();
        counted(40, () -> Await.result(bench.store().count(bench.shard())));

        Set<String> seen = new HashSet<>();
        int polls = 0;
        for (List<Claim> claims = claim(List.of()); !claims.isEmpty(); claims = claim(claims)) {
            claims.forEach(claim -> seen.add(claim.id()));
            polls++;
        }
        assertThat(seen).hasSize(MESSAGES);
        assertThat(polls).isEqualTo(MESSAGES / BATCH);
        assertThat(bench.state()).hasToString("");
    }

    @Test
    void leasesOverAtOnceAreReclaimedAndDeadLetteredByBoundedPolls() {
        bench.store().enableNotifications(bench.shard()).join();
        load();
        for (int i = 0; i < MESSAGES / BATCH; i++) {
            assertThat(poll(Polls.by("gone", ++sequence).claim(BATCH), 25).claims())
                    .hasSize(BATCH);
        }
        bench.clock(T0 + 40_000);
        poll(Polls.by("w1", ++sequence), 25);
        bench.redis().call("HSET", bench.key("meta"), "grace", T0, "polled", T0 + 40_000);

        int polls = 0;
        PollReply reply = poll(Polls.by("w1", ++sequence), 25 + 9 * BATCH);
        while (!reply.reclaimed().isEmpty()) {
            assertThat(reply.reclaimed()).hasSize(BATCH);
            polls++;
            reply = poll(Polls.by("w1", ++sequence), 25 + 9 * BATCH);
        }
        assertThat(polls).isEqualTo(MESSAGES / BATCH);
        deadLetter();
    }

    /** Some thousands of these are dead-lettered; the dead letters are paged, purged and dropped by retention. */
    private void deadLetter() {
        for (int i = 0; i < 6; i++) {
            List<Claim> claims =
                    poll(Polls.by("w1", ++sequence).claim(BATCH), 25).claims();
            Polls deadLetter = Polls.by("w1", ++sequence);
            claims.forEach(claim -> deadLetter.deadLetter(claim.id(), claim.token(), DeadLetterCause.REQUESTED));
            poll(deadLetter, 25 + 13 * BATCH);
        }
        assertThat(Await.result(bench.store().count(bench.shard())).counts().dead())
                .isEqualTo(6 * BATCH);
        counted(
                1010,
                () -> Await.result(
                        bench.store().deadLetters(bench.shard(), new DeadLetterQuery.Page(null, 100, BATCH))));
        Purge surplus = new Purge.Retention(Duration.ofDays(1), BATCH, 256L << 20);
        for (int i = 0; i < 5; i++) {
            assertThat(counted(30, () -> Await.result(bench.store().purge(bench.shard(), surplus))))
                    .isEqualTo(BATCH);
        }
        assertThat(counted(30, () -> Await.result(bench.store().purge(bench.shard(), surplus))))
                .isZero();
        Purge large = new Purge.Retention(Duration.ofDays(1), BATCH, 10_000_000);
        assertThat(counted(1030, () -> Await.result(bench.store().purge(bench.shard(), large))))
                .isZero();
        Purge none = new Purge.Retention(Duration.ofDays(1), BATCH, 0);
        assertThat(counted(2030, () -> Await.result(bench.store().purge(bench.shard(), none))))
                .isEqualTo(BATCH);
    }

    private void load() {
        for (int from = 0; from < MESSAGES; from += BATCH) {
            int first = from;
            counted(
                    15,
                    () -> bench.send(IntStream.range(first, first + BATCH)
                            .mapToObj(i -> Sends.at("m" + i, T0))
                            .toList()));
        }
    }

    private List<Claim> claim(List<Claim> done) {
        Polls poll = Polls.by("w1", ++sequence).claim(BATCH);
        done.forEach(claim -> poll.acknowledge(claim.id(), claim.token()));
        return poll(poll, 25).claims();
    }

    private PollReply poll(Polls poll, int bound) {
        return counted(bound, () -> bench.poll(poll));
    }

    /** Does it and checks how many commands it took. */
    private <T> T counted(int bound, Supplier<T> action) {
        List<T> result = new ArrayList<>();
        Map<String, Long> commands = bench.commands(() -> result.add(action.get()));
        long sum = commands.values().stream().mapToLong(Long::longValue).sum();
        assertThat(sum).as(commands::toString).isLessThanOrEqualTo(bound);
        return result.get(0);
    }
}
