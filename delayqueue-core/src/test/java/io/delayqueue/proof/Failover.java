package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * A master that is killed under load, and what that may undo: Redis replicates asynchronously, so that what it answered
 * in the moment before its end may be unknown to the replica that takes over.
 */
final class Failover {

    /** Far more than a replica lags behind on one machine. */
    private static final Duration WINDOW = Duration.ofSeconds(1);

    private static final int STEADY = 200;

    private final Fleet fleet;
    private final Load load;
    private final IntPredicate atTheKilled;
    private final IntPredicate elsewhere;
    private long begun;
    private long killed;
    private long gone;
    private long recovered;

    Failover(Fleet fleet, IntPredicate atTheKilled) {
        this.fleet = fleet;
        this.load = fleet.load;
        this.atTheKilled = atTheKilled;
        this.elsewhere = atTheKilled.negate();
    }

    /**
     * Kills while the load goes on, and returns when all was delivered in spite of that.
     *
     * @param kill what it undoes may have been done since it began, or shortly before
     */
    Failover survive(int deliveriesBefore, Runnable kill) {
        await().atMost(Duration.ofSeconds(90)).until(() -> deliveredSince(0) >= deliveriesBefore);
        begun = System.nanoTime();
        await().atMost(Duration.ofSeconds(30)).until(() -> deliveredSince(begun) >= STEADY);
        killed = System.nanoTime();
        kill.run();
        gone = System.nanoTime();

        long later = gone + Duration.ofSeconds(1).toNanos();
        await().atMost(Duration.ofSeconds(60)).until(() -> deliveredSince(later) >= STEADY);
        recovered = System.nanoTime();
        fleet.finish();
        tell();
        return this;
    }

    private long deliveredSince(long nanos) {
        return load.deliveries.count(atTheKilled, nanos, Long.MAX_VALUE);
    }

    private void tell() {
        Duration gap = load.deliveries.longestGap(atTheKilled, killed, recovered);
        System.out.printf(
                "failover: gap %d ms, longest send %d ms; elsewhere %d/s before, %d/s meanwhile, longest gap %d ms%n",
                gap.toMillis(),
                load.longestSendNanos.get() / 1_000_000,
                load.deliveries.rate(elsewhere, begun, killed),
                load.deliveries.rate(elsewhere, killed, killed + gap.toNanos()),
                load.deliveries.longestGap(elsewhere, killed, recovered).toMillis());
        System.out.printf(
                "failover: of %d accepted (%d there meanwhile), %d lost (%s before the kill), %d ended twice (%s before the kill), %d calls of"
                        + " unknown outcome; failures %s%n",
                load.accepted.size(),
                sentMeanwhile(),
                load.open().size(),
                oldest(load.accepted, load.open()),
                load.undone().size(),
                oldest(load.ended, load.undone()),
                load.unsure.size(),
                load.failures.stream().distinct().limit(3).toList());
    }

    /** While the killed master's shards stood still, the others' went on at their pace, or a third of it. */
    Failover checkPaceElsewhere() {
        long gap = load.deliveries.longestGap(atTheKilled, killed, recovered).toNanos();
        assertThat(load.deliveries.rate(elsewhere, killed, killed + gap))
                .isGreaterThan(load.deliveries.rate(elsewhere, begun, killed) / 3);
        return this;
    }

    /** What was undone was done only just before the end of the killed master. */
    void checkUndone() {
        fleet.ledger.checkLeases();
        assertThat(load.open()).as("lost").allSatisfy(id -> assertJustBefore(id, load.accepted));
        assertThat(load.undone()).as("undone").allSatisfy(id -> assertJustBefore(id, load.ended));
        assertThat(load.failures).noneMatch(failure -> failure.startsWith("duplicate"));
    }

    private void assertJustBefore(String id, Map<String, Long> times) {
        assertThat(atTheKilled.test(Shard.indexOf(id, fleet.shards)))
                .as("%s was at the killed master", id)
                .isTrue();
        long time = times.get(id);
        assertThat(Duration.ofNanos(killed - time)).isLessThan(WINDOW);
        // answers may still be on their way to whoever asked
        assertThat(Duration.ofNanos(time - gone)).isLessThan(WINDOW);
    }

    /** How many were accepted at the killed master from when the kill began. */
    long sentMeanwhile() {
        return load.accepted.entrySet().stream()
                .filter(entry -> entry.getValue() - killed > 0 && entry.getValue() - gone < 0)
                .filter(entry -> atTheKilled.test(Shard.indexOf(entry.getKey(), fleet.shards)))
                .count();
    }

    private String oldest(Map<String, Long> times, Collection<String> ids) {
        return ids.stream()
                .map(id -> beforeKill(times.get(id)))
                .max(Duration::compareTo)
                .map(age -> "at most " + age.toMillis() + " ms")
                .orElse("none");
    }

    private Duration beforeKill(long nanos) {
        return Duration.ofNanos(gone - nanos);
    }
}
