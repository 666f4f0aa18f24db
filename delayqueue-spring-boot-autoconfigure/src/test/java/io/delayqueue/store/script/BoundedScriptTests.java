package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeathCause;
import io.delayqueue.store.Claim;
import io.delayqueue.store.LetterQuery;
import io.delayqueue.store.Purge;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.StepRequest;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.Steps;
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
 * A hundred thousand messages due in one millisecond: whatever stands behind, no script does more than its bound. The
 * bounds are counts of commands, each of which touches 500 elements at most; the longest run is reported, not asserted.
 */
class BoundedScriptTests {

    private static final int MESSAGES = 100_000;
    private static final int BATCH = StepRequest.MAX_BATCH;

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private long sequence;
    private long most;

    @Test
    void aHundredThousandDueAtOnceAreDrainedByBoundedSteps() {
        bench.redis().call("CONFIG", "SET", "slowlog-log-slower-than", "1000");
        bench.redis().call("SLOWLOG", "RESET");
        load();
        counted(40, () -> bench.store().count(bench.shard()));

        Set<String> seen = new HashSet<>();
        int steps = 0;
        for (List<Claim> claims = claim(List.of()); !claims.isEmpty(); claims = claim(claims)) {
            claims.forEach(claim -> seen.add(claim.id()));
            steps++;
        }
        assertThat(seen).hasSize(MESSAGES);
        assertThat(steps).isEqualTo(MESSAGES / BATCH);
        assertThat(bench.state()).hasToString("");
        System.out.println("slowest script " + slowest());
    }

    @Test
    void aHundredThousandLeasesOverAtOnceAreReclaimedAndBuriedByBoundedSteps() {
        bench.redis().call("CONFIG", "SET", "slowlog-log-slower-than", "1000");
        bench.redis().call("SLOWLOG", "RESET");
        bench.store().attendDeathsAsync(bench.shard()).join();
        load();
        for (int i = 0; i < MESSAGES / BATCH; i++) {
            assertThat(step(Steps.by("gone", ++sequence).claim(BATCH), 25).claims())
                    .hasSize(BATCH);
        }
        bench.clock(T0 + 40_000);
        step(Steps.by("w1", ++sequence), 25);
        bench.redis().call("HSET", bench.key("meta"), "grace", T0);

        int steps = 0;
        StepReply reply = step(Steps.by("w1", ++sequence), 25 + 9 * BATCH);
        while (!reply.reclaimed().isEmpty()) {
            assertThat(reply.reclaimed()).hasSize(BATCH);
            steps++;
            reply = step(Steps.by("w1", ++sequence), 25 + 9 * BATCH);
        }
        assertThat(steps).isEqualTo(MESSAGES / BATCH);
        bury();
        System.out.println("slowest script " + slowest());
    }

    /** Of those, some thousands die; the letters are paged, purged and dropped by retention. */
    private void bury() {
        for (int i = 0; i < 6; i++) {
            List<Claim> claims =
                    step(Steps.by("w1", ++sequence).claim(BATCH), 25).claims();
            Steps bury = Steps.by("w1", ++sequence);
            claims.forEach(claim -> bury.bury(claim.id(), claim.token(), DeathCause.BURIED));
            step(bury, 25 + 13 * BATCH);
        }
        assertThat(bench.store().count(bench.shard()).dead()).isEqualTo(6 * BATCH);
        counted(1010, () -> bench.store().letters(bench.shard(), new LetterQuery.Page(null, 100, BATCH)));
        Purge surplus = new Purge.Retention(Duration.ofDays(1), BATCH);
        for (int i = 0; i < 5; i++) {
            assertThat(counted(30, () -> bench.store().purge(bench.shard(), surplus)))
                    .isEqualTo(BATCH);
        }
        assertThat(counted(30, () -> bench.store().purge(bench.shard(), surplus)))
                .isZero();
    }

    private void load() {
        for (int from = 0; from < MESSAGES; from += BATCH) {
            int first = from;
            counted(
                    15,
                    () -> bench.store()
                            .send(
                                    bench.shard(),
                                    IntStream.range(first, first + BATCH)
                                            .mapToObj(i -> Sends.at("m" + i, T0))
                                            .toList()));
        }
    }

    private List<Claim> claim(List<Claim> done) {
        Steps step = Steps.by("w1", ++sequence).claim(BATCH);
        done.forEach(claim -> step.acknowledge(claim.id(), claim.token()));
        return step(step, 25).claims();
    }

    private StepReply step(Steps step, int bound) {
        return counted(bound, () -> bench.step(step));
    }

    /** Does it and checks how many commands it took. */
    private <T> T counted(int bound, Supplier<T> action) {
        List<T> result = new ArrayList<>();
        Map<String, Long> commands = bench.commands(() -> result.add(action.get()));
        long sum = commands.values().stream().mapToLong(Long::longValue).sum();
        assertThat(sum).as(commands::toString).isLessThanOrEqualTo(bound);
        most = Math.max(most, sum);
        return result.get(0);
    }

    private String slowest() {
        List<?> entries = (List<?>) bench.redis().call("SLOWLOG", "GET", "128");
        long micros = entries.stream()
                .map(entry -> (List<?>) entry)
                .mapToLong(entry -> (Long) entry.get(2))
                .max()
                .orElse(0);
        return micros + " µs, most commands in a script " + most;
    }
}
