package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.DeathCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.Claim;
import io.delayqueue.store.Purge;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.bench.RawRedis;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.Steps;
import io.delayqueue.store.bench.StoreBench;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** At {@code maxmemory}, nothing being evicted: what adds is refused, what frees or keeps alive goes on. */
class FullMemoryTests {

    private static final int BACKLOG = 2000;

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private long sequence;

    @BeforeEach
    void memoryIsFull() {
        long empty = used();
        for (int from = 0; from < BACKLOG; from += 100) {
            bench.store()
                    .send(
                            bench.shard(),
                            IntStream.range(from, from + 100)
                                    .mapToObj(i -> Sends.large("m" + i, T0, 2000))
                                    .toList());
        }
        bench.redis().call("CONFIG", "SET", "maxmemory", (empty + used()) / 2);
        assertThatThrownBy(() -> bench.redis().call("SET", "any", "thing"))
                .isInstanceOf(RawRedis.RedisError.class)
                .hasMessageStartingWith("OOM");
    }

    @AfterEach
    void memoryIsNotFull() {
        bench.redis().call("CONFIG", "SET", "maxmemory", 0);
    }

    @Test
    void aSendIsRefusedAndNothingIsWritten() {
        String before = bench.state().toString();
        assertRefused(() -> bench.store().send(bench.shard(), List.of(Sends.at("a", T0))));
        assertRefused(() ->
                bench.store().send(bench.shard(), List.of(Sends.message("m1", Due.NOW, OnDuplicate.REPLACE, "other"))));
        assertRefused(() -> bench.store().reschedule(bench.shard(), "m1", Due.NOW));
        assertThat(bench.state()).hasToString(before);
    }

    @Test
    void whatIsNotWrittenIsAnswered() {
        assertThat(bench.store()
                        .send(bench.shard(), List.of(Sends.large("m1", T0, 2000)))
                        .results()
                        .get(0)
                        .outcome())
                .isEqualTo(Outcome.ACCEPTED);
        assertThat(bench.store().find(bench.shard(), "m1")).isPresent();
        assertThat(bench.store().count(bench.shard()).ready()).isEqualTo(BACKLOG);
    }

    @Test
    void everyKindOfStepWorks() {
        bench.store().attendDeathsAsync(bench.shard()).join();
        List<Claim> claims = step(next().claim(6)).claims();
        assertThat(claims).hasSize(6);
        String token = claims.get(0).token();
        Steps settle = next().acknowledge(claims.get(0).id(), token)
                .retry(claims.get(1).id(), token, 5000)
                .release(claims.get(2).id(), token)
                .bury(claims.get(3).id(), token, DeathCause.BURIED)
                .renew(claims.get(4).id(), token, 60_000);
        StepReply reply = step(settle);
        assertThat(reply.gone()).isEmpty();
        assertThat(reply.lost()).isEmpty();
        assertThat(reply.deaths()).hasSize(1);
        assertThat(bench.state().get("leases")).containsEntry(claims.get(4).id(), "" + (T0 + 60_000));
        assertThat(bench.state().get("deaths.schedule")).hasSize(1);
        assertThat(bench.store().cancel(bench.shard(), claims.get(4).id()).isCancelled())
                .isTrue();
        assertThat(bench.store().purge(bench.shard(), new Purge.DiedUntil(Instant.ofEpochMilli(T0))))
                .isEqualTo(1);
    }

    @Test
    void aReplayIsRefusedAndTheLetterStays() {
        Claim claim = step(next().claim(1)).claims().get(0);
        step(next().bury(claim.id(), claim.token(), DeathCause.BURIED));
        String before = bench.state().toString();
        assertRefused(() -> bench.store().replay(bench.shard(), claim.id() + "@" + claim.token(), Due.NOW));
        assertThat(bench.state()).hasToString(before);
    }

    @Test
    void leasesAreReclaimedThoughOnlyIdleStepsRun() {
        assertThat(step(next().claim(1)).claims()).hasSize(1);
        List<String> reclaimed = new ArrayList<>();
        for (long now = T0; now <= T0 + 48_000 && reclaimed.isEmpty(); now += 4000) {
            bench.clock(now);
            reclaimed.addAll(step(next()).reclaimed());
            assertThat(bench.meta("meta")).containsEntry("stepped", Long.toString(now));
        }
        assertThat(reclaimed).hasSize(1);
    }

    @Test
    void theBacklogDrainsThenSendsWorkAgain() {
        int drained = 0;
        List<Claim> claims = step(next().claim(100)).claims();
        while (!claims.isEmpty()) {
            drained += claims.size();
            Steps step = next().claim(100);
            claims.forEach(claim -> step.acknowledge(claim.id(), claim.token()));
            claims = step(step).claims();
        }
        assertThat(drained).isEqualTo(BACKLOG);
        assertThat(bench.state()).hasToString("");
        assertThat(bench.store()
                        .send(bench.shard(), List.of(Sends.at("a", T0)))
                        .results()
                        .get(0)
                        .outcome())
                .isEqualTo(Outcome.ACCEPTED);
    }

    private static void assertRefused(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        RedisCallException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining("OOM");
    }

    private Steps next() {
        return Steps.by("w1", ++sequence);
    }

    private static StepReply step(Steps step) {
        return bench.step(step);
    }

    private static long used() {
        return bench.redis()
                .text("INFO", "memory")
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line -> Long.parseLong(line.substring(12).strip()))
                .findFirst()
                .orElseThrow();
    }
}
