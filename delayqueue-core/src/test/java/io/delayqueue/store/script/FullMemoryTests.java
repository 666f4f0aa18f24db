package io.delayqueue.store.script;

import static io.delayqueue.store.bench.ShardState.state;
import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.Claim;
import io.delayqueue.store.OutgoingMessage.Memory;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.Purge;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.testing.RawRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** At {@code maxmemory}, nothing being evicted: what adds is rejected, what frees or keeps alive goes on. */
class FullMemoryTests {

    private static final int BACKLOG = 500;

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private long sequence;

    @BeforeEach
    void memoryIsFull() {
        long empty = used();
        for (int from = 0; from < BACKLOG; from += 100) {
            bench.send(IntStream.range(from, from + 100)
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
    void aSendIsRejectedAndNothingIsWritten() {
        String before = bench.state().toString();
        assertRejected(() -> bench.send(Sends.at("a", T0)));
        assertRejected(() -> bench.send(Sends.message("m1", Due.NOW, OnDuplicate.REPLACE, "other")));
        assertRejected(() -> bench.reschedule("m1", Due.NOW));
        assertThat(bench.state()).hasToString(before);
    }

    @Test
    void rejectedWritesAreReported() {
        assertThat(bench.send(Sends.large("m1", T0, 2000)).get(0).outcome()).isEqualTo(Outcome.ACCEPTED);
        assertThat(Await.result(bench.store().find(bench.shard(), "m1"))).isPresent();
        assertThat(Await.result(bench.store().count(bench.shard())).counts().ready())
                .isEqualTo(BACKLOG);
    }

    @Test
    void everyKindOfPollWorks() {
        bench.store().enableNotifications(bench.shard()).join();
        List<Claim> claims = poll(next().claim(6)).claims();
        assertThat(claims).hasSize(6);
        String token = claims.get(0).token();
        Polls settle = next().acknowledge(claims.get(0).id(), token)
                .retry(claims.get(1).id(), token, 5000)
                .release(claims.get(2).id(), token)
                .deadLetter(claims.get(3).id(), token, DeadLetterCause.REQUESTED)
                .renew(claims.get(4).id(), token, 60_000);
        PollReply reply = poll(settle);
        assertThat(reply.rejected()).isEmpty();
        assertThat(reply.deadLettered()).hasSize(1);
        assertThat(bench.state().get("leases")).containsEntry(claims.get(4).id(), "" + (T0 + 60_000));
        assertThat(bench.state().get("notifications.schedule")).hasSize(1);
        assertThat(bench.cancel(claims.get(4).id()).isCancelled()).isTrue();
        Memory memory = new Memory("n1", Duration.ofMinutes(1));
        assertThat(Await.result(bench.store()
                                .cancel(bench.shard(), claims.get(5).id(), memory, Durability.NONE))
                        .isCancelled())
                .isTrue();
        assertThat(bench.redis().call("HLEN", bench.keySpace().of(bench.shard()).sent()))
                .as("it is remembered, beside the sentinel")
                .isEqualTo(2L);
        assertThat(Await.result(bench.store()
                        .purge(
                                bench.shard(),
                                new Purge.Named(
                                        List.of(reply.deadLettered().get(0).id() + "@" + token)))))
                .isEqualTo(1);
    }

    @Test
    void aMessageBecomesASuspect() {
        bench.redis().call("CONFIG", "SET", "maxmemory", 0);
        bench.given(state("crashed a -1 0 /2/0"));
        bench.redis().call("CONFIG", "SET", "maxmemory", 1);
        assertThat(poll(next().claim(1)).suspectsLeft()).isTrue();
        assertThat(poll(next().claimSuspect()).claims()).extracting(Claim::id).containsExactly("a");
    }

    @Test
    void aReplayIsRejectedAndTheDeadLetterStays() {
        Claim claim = poll(next().claim(1)).claims().get(0);
        poll(next().deadLetter(claim.id(), claim.token(), DeadLetterCause.REQUESTED));
        String before = bench.state().toString();
        assertRejected(() -> Await.result(
                        bench.store().replay(bench.shard(), List.of(claim.id() + "@" + claim.token()), Due.NOW))
                .get(0));
        assertThat(bench.state()).hasToString(before);
    }

    @Test
    void leasesAreReclaimedThoughOnlyIdlePollsRun() {
        assertThat(poll(next().claim(1)).claims()).hasSize(1);
        List<String> reclaimed = new ArrayList<>();
        for (long now = T0; now <= T0 + 48_000 && reclaimed.isEmpty(); now += 4000) {
            bench.clock(now);
            reclaimed.addAll(poll(next()).reclaimed());
            assertThat(bench.meta("meta")).containsEntry("polled", Long.toString(now));
        }
        assertThat(reclaimed).hasSize(1);
    }

    @Test
    void theBacklogDrainsThenSendsWorkAgain() {
        int drained = 0;
        List<Claim> claims = poll(next().claim(100)).claims();
        while (!claims.isEmpty()) {
            drained += claims.size();
            Polls poll = next().claim(100);
            claims.forEach(claim -> poll.acknowledge(claim.id(), claim.token()));
            claims = poll(poll).claims();
        }
        assertThat(drained).isEqualTo(BACKLOG);
        assertThat(bench.state()).hasToString("");
        assertThat(bench.send(Sends.at("a", T0)).get(0).outcome()).isEqualTo(Outcome.ACCEPTED);
    }

    private static void assertRejected(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        RedisCallException.class,
                        e -> assertThat(e.kind()).as("%s", e).isEqualTo(Kind.MEMORY_FULL))
                .hasMessageContaining("OOM");
    }

    private Polls next() {
        return Polls.by("w1", ++sequence);
    }

    private static PollReply poll(Polls poll) {
        return bench.poll(poll);
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
