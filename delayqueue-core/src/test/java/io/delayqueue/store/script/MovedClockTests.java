package io.delayqueue.store.script;

import static io.delayqueue.store.bench.StoreBench.T0;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.MessageState;
import io.delayqueue.redis.Await;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Leases under a clock of Redis that is set: they last as long as their owners count, whatever it shows. {@code w0} owns
 * and never polls again unless a test says so; {@code w1} has polled all the time, {@code new} begins when the clock has
 * been set. A lease of 30 s, a sweep of 5 s, and 10 s for which nothing is reclaimed after a gap.
 */
class MovedClockTests {

    private static final long SWEEP = 5_000;
    private static final long GRACE = 10_000;
    private static final long HOUR = 3_600_000;

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private final Map<String, Long> sequences = new HashMap<>();
    private final Map<String, Long> polled = new HashMap<>();
    /** What everybody's own clock counted since {@link StoreBench#T0}. */
    private long passed;

    private long set;

    @BeforeEach
    void bothPoll() {
        poll("w0", poll -> poll);
        poll("w1", poll -> poll);
    }

    private PollReply poll(String consumer, UnaryOperator<Polls> change) {
        Polls poll = Polls.by(consumer, sequences.merge(consumer, 1L, Long::sum));
        Long before = polled.put(consumer, passed);
        return bench.poll(change.apply(before == null ? poll : poll.after(passed - before)));
    }

    private void pass(long millis) {
        passed += millis;
        bench.clock(T0 + passed + set);
    }

    private void setClock(long by) {
        set += by;
        bench.clock(T0 + passed + set);
    }

    /** Leases to {@code w0}. */
    private void leased(Duration lease, String... ids) {
        for (String id : ids) {
            bench.send(Sends.after(id, 0));
        }
        poll("w0", poll -> poll.claim(ids.length).lease(lease));
    }

    private String token() {
        return "w0-" + Long.toString(sequences.get("w0"), 36);
    }

    /** When somebody who polls takes something back, counted from now; at the latest when as much time has passed. */
    private long untilReclaimed(String consumer, long most) {
        long from = passed;
        while (poll(consumer, poll -> poll).reclaimed().isEmpty() && passed - from < most) {
            pass(SWEEP);
        }
        return passed - from;
    }

    @ParameterizedTest
    @ValueSource(longs = {-HOUR, -7_000, 7_000, HOUR, 40 * 24 * HOUR})
    void deadOwnersLeaseLastsAsLongAsItWouldHave(long by) {
        leased(Duration.ofSeconds(30), "a");
        pass(SWEEP);
        setClock(by);
        assertThat(untilReclaimed("w1", 2 * HOUR)).isBetween(25_000L, 25_000 + SWEEP + GRACE);
    }

    @Test
    void clockThatIsSetToAndFroLeavesLeasesAlone() {
        leased(Duration.ofMinutes(10), "a");
        for (int i = 0; i < 20; i++) {
            pass(SWEEP);
            setClock(i % 2 == 0 ? -HOUR : HOUR);
            assertThat(poll("w1", poll -> poll).reclaimed()).isEmpty();
        }
        assertThat(untilReclaimed("w1", HOUR)).isBetween(500_000L, 500_000 + SWEEP + GRACE);
    }

    /** So that living owners, whose connections were broken too, renew first. */
    @Test
    void gapIsSeenThoughTheClockWentBackByIt() {
        leased(Duration.ofSeconds(30), "a");
        poll("w1", poll -> poll);
        pass(40_000);
        setClock(-40_000);
        assertThat(untilReclaimed("w1", HOUR)).isEqualTo(GRACE);
    }

    /** It can't tell a clock that was set from an outage; each living owner renews within a third of its lease. */
    @ParameterizedTest
    @ValueSource(longs = {30_000, 600_000, HOUR})
    void pollerThatIsNewLeavesEachLivingOwnerTimeToRenewWhateverItsLease(long lease) {
        leased(Duration.ofMillis(lease), "a");
        String token = token();
        pass(SWEEP);
        poll("w0", poll -> poll.renew("a", token, lease));
        setClock(2 * HOUR);
        assertThat(untilReclaimed("new", lease / 3)).isGreaterThanOrEqualTo(lease / 3);
        assertThat(poll("w0", poll -> poll.renew("a", token, lease)).rejected()).isEmpty();
        assertThat(untilReclaimed("new", HOUR * 2)).isBetween(lease - SWEEP, lease + SWEEP + GRACE);
    }

    @Test
    void newPollerReclaimsADeadOwnersLeaseAfterHalfOfItsRemainingTime() {
        leased(Duration.ofSeconds(30), "a");
        pass(20_000);
        assertThat(untilReclaimed("new", HOUR)).isEqualTo(15_000);
    }

    @Test
    void pollerThatIsNewTakesBackADeadOwnersLeaseAfterAClockThatWentBack() {
        leased(Duration.ofSeconds(30), "a");
        pass(SWEEP);
        setClock(-HOUR);
        assertThat(untilReclaimed("new", HOUR)).isBetween(25_000L, 30_000 + SWEEP + GRACE);
    }

    /** As where nobody waits to receive for a while. */
    @Test
    void timeWithoutPollsCountsIfAPollerMeasuredIt() {
        leased(Duration.ofMinutes(5), "a");
        pass(290_000);
        assertThat(untilReclaimed("w1", HOUR)).isEqualTo(10_000);
    }

    @Test
    void leaseOfTheCatchingUpIsAsLongAsAnyOther() {
        leased(Duration.ofSeconds(30), "a");
        String token = token();
        pass(60_000);
        poll("new", poll -> poll);
        poll("w0", poll -> poll.acknowledge("a", token));
        leased(Duration.ofSeconds(30), "b");
        assertThat(untilReclaimed("new", HOUR)).isEqualTo(30_000);
    }

    /** Of a Redis that hung, too: what was sent to it long ago counted too little. */
    @Test
    void pollThatWasLongOnItsWayTakesNothingBackTooEarly() {
        leased(Duration.ofSeconds(30), "a");
        pass(60_000);
        Polls late = Polls.by("w1", 2).after(100);
        assertThat(bench.poll(late).reclaimed()).isEmpty();
        sequences.put("w1", 2L);
        polled.put("w1", passed);
        assertThat(untilReclaimed("w1", HOUR)).isEqualTo(30_000);
    }

    /** Its first reply was lost. Others, who measured the time in between, must see what the renewal counted on. */
    @Test
    void leaseThatARepeatRenewsAfterALongGapIsAsLongAsAnyOther() {
        leased(Duration.ofSeconds(30), "a");
        String token = token();
        pass(SWEEP);
        poll("w0", poll -> poll.renew("a", token, 30_000));
        pass(70_000);
        Polls repeat = Polls.by("w0", sequences.get("w0")).after(75_000).renew("a", token, 30_000);
        assertThat(bench.poll(repeat).rejected()).isEmpty();
        assertThat(untilReclaimed("w1", HOUR)).isEqualTo(30_000);
    }

    @Test
    void aLatePollDoesNotTurnTimeBack() {
        leased(Duration.ofSeconds(30), "a");
        pass(SWEEP);
        poll("w1", poll -> poll);
        // as of a machine that was suspended
        bench.poll(Polls.by("w0", 3).after(0));
        pass(SWEEP);
        assertThat(untilReclaimed("w1", HOUR)).isBetween(20_000L, 20_000 + SWEEP);
    }

    @ParameterizedTest
    @ValueSource(longs = {-HOUR, HOUR})
    void leaseEndIsReportedInRedisTime(long by) {
        leased(Duration.ofSeconds(30), "a");
        setClock(by);
        long end = T0 + by + 30_000;
        assertThat(poll("w1", poll -> poll).nextLeaseEndMillis()).isEqualTo(end);
        assertThat(Await.result(bench.store().find(bench.shard(), "a"))
                        .orElseThrow()
                        .leaseEnd())
                .isEqualTo(Instant.ofEpochMilli(end));
        assertThat(bench.reader()
                        .list(bench.shard(), MessageState.LEASED, null, 10)
                        .join()
                        .messages())
                .singleElement()
                .satisfies(message -> assertThat(message.leaseEnd()).isEqualTo(Instant.ofEpochMilli(end)));
    }
}
