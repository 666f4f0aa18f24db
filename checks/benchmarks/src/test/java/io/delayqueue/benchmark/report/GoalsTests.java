package io.delayqueue.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmark.report.Goal.Verdict;
import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Evaluation of the goals of a run. */
class GoalsTests {

    private static final String GROWTH = "from 10,000 to 5,000,000 scheduled";

    private final RunBuilder run = new RunBuilder();

    @Test
    void unmeasuredGoalsAreListed() {
        List<Goal> goals = Goals.of(run.summary());

        assertThat(goals).hasSize(47).allMatch(goal -> goal.verdict() == Verdict.NOT_MEASURED);
        assertThat(goals).allMatch(goal -> goal.measured().equals("–"));
    }

    @ParameterizedTest
    @CsvSource({
        "SEND_2, 100, 100, 100.0, MET",
        "SEND, 100, 100, 100.0, MET",
        "SEND_64, 999, 1000, 99.9, NOT_MET",
        "SEND_ALL_1, 80, 100, 80.0, MET",
        "SEND_ALL_1, 799, 1000, 79.9, NOT_MET",
        "SEND_ALL_8, 90, 100, 90.0, MET",
        "SEND_ALL_8, 899, 1000, 89.9, NOT_MET",
        "DRAIN, 80, 100, 80.0, MET",
        "DRAIN, 799, 1000, 79.9, NOT_MET"
    })
    void ratesAreComparedWithTheFloor(Measure measure, double rate, double floor, String part, Verdict verdict) {
        run.rate(measure, Party.PRODUCT, 0, rate).rate(measure, Party.FLOOR_JEDIS, 0, floor);

        Goal goal = goal(measure.title(), "of the floor");

        assertThat(goal.verdict()).isEqualTo(verdict);
        assertThat(goal.measured()).startsWith(part + " % (").endsWith(", floor (Jedis))");
    }

    @Test
    void ratesAreComparedWithRedisson() {
        run.rate(Measure.SEND, Party.PRODUCT, 0, 2_000, 3_000, 1_000)
                .rate(Measure.SEND, Party.REDISSON, 0, 800, 1_100, 1_000)
                .rate(Measure.DRAIN, Party.PRODUCT, 0, 4_490)
                .rate(Measure.DRAIN, Party.REDISSON, 0, 1_000);

        assertThat(goal("send, 8 threads", "Redisson"))
                .isEqualTo(new Goal("send, 8 threads", "≥ 2 × Redisson", "2.00 × (2,000/s to 1,000/s)", Verdict.MET));
        assertThat(goal("drain, concurrency 8", "Redisson"))
                .isEqualTo(new Goal(
                        "drain, concurrency 8",
                        "≥ 4.50 × Redisson, which does not acknowledge",
                        "4.49 × (4,490/s to 1,000/s)",
                        Verdict.NOT_MET));
    }

    @Test
    void lagGoalsUseMediansAndTheMaximumOfTheWorstRound() {
        run.product(Measure.LATENESS, Quantity.P50, 0.35, 9, 0.3)
                .product(Measure.LATENESS, Quantity.P99, 2.1, 2.2, 1.9)
                .product(Measure.LATENESS, Quantity.MAX, 4, 20.5, 5)
                .product(Measure.LATENESS, Quantity.EARLY, 0, 0, 1);

        String title = "lateness at 1,000/s, nothing scheduled";
        assertThat(goal(title, "p50")).isEqualTo(new Goal(title, "lateness p50 ≤ 0.35 ms", "0.350 ms", Verdict.MET));
        assertThat(goal(title, "p99")).isEqualTo(new Goal(title, "lateness p99 ≤ 2 ms", "2.10 ms", Verdict.NOT_MET));
        assertThat(goal(title, "max"))
                .isEqualTo(new Goal(
                        title, "lateness max ≤ 20 ms", "20.5 ms (worst of 3 rounds; median 5)", Verdict.NOT_MET));
        assertThat(goal(title, "early"))
                .isEqualTo(new Goal(title, "early = 0", "1 (worst of 3 rounds; median 0)", Verdict.NOT_MET));
        assertThat(goal("lateness at 1,000/s, 1,000,000 scheduled", "p50").verdict())
                .isEqualTo(Verdict.NOT_MEASURED);
    }

    @Test
    void lagWithAMillionScheduledMessagesHasItsOwnGoals() {
        run.rounds(Measure.LATENESS, Party.PRODUCT, 1_000_000, Quantity.MAX, 20, 20)
                .rounds(Measure.LATENESS, Party.PRODUCT, 1_000_000, Quantity.EARLY, 0, 0);

        assertThat(goal("lateness at 1,000/s, 1,000,000 scheduled", "max").measured())
                .isEqualTo("20 ms");
        assertThat(goal("lateness at 1,000/s, 1,000,000 scheduled", "max").verdict())
                .isEqualTo(Verdict.MET);
        assertThat(goal("lateness at 1,000/s, 1,000,000 scheduled", "early").verdict())
                .isEqualTo(Verdict.MET);
        assertThat(goal("lateness at 1,000/s, nothing scheduled", "max").verdict())
                .isEqualTo(Verdict.NOT_MEASURED);
    }

    @Test
    void shardsAreComparedWithOneShard() {
        run.rate(Measure.SEND, Party.PRODUCT, 0, 1_000)
                .rate(Measure.SEND_4_SHARDS, Party.PRODUCT, 0, 850)
                .rate(Measure.SEND_16_SHARDS, Party.PRODUCT, 0, 849);

        assertThat(goal("send, 8 threads, 4 shards", "one shard"))
                .isEqualTo(new Goal(
                        "send, 8 threads, 4 shards", "≥ 85 % of one shard", "85.0 % (850/s of 1,000/s)", Verdict.MET));
        assertThat(goal("send, 8 threads, 16 shards", "one shard").verdict()).isEqualTo(Verdict.NOT_MET);
    }

    @Test
    void higherRatesHaveTheirOwnGoalsOfLateness() {
        run.product(Measure.LATENESS_20, Quantity.P99, 5).product(Measure.LATENESS_50, Quantity.P99, 20.1);

        assertThat(goal("lateness at 20,000/s", "p99").verdict()).isEqualTo(Verdict.MET);
        assertThat(goal("lateness at 50,000/s", "p99").verdict()).isEqualTo(Verdict.NOT_MET);
    }

    @Test
    void handlersAreComparedWithTheIdealRate() {
        run.product(Measure.HANDLERS_8, Quantity.OF_IDEAL, 95)
                .product(Measure.HANDLERS_8, Quantity.RATE, 1_500)
                .product(Measure.HANDLERS_64, Quantity.OF_IDEAL, 94.9)
                .product(Measure.HANDLERS_64, Quantity.RATE, 12_000);

        assertThat(goal("handlers of 5 ms, concurrency 8", "ideal"))
                .isEqualTo(new Goal(
                        "handlers of 5 ms, concurrency 8", "≥ 95 % of the ideal rate", "95 % (1,500/s)", Verdict.MET));
        assertThat(goal("handlers of 5 ms, concurrency 64", "ideal").verdict()).isEqualTo(Verdict.NOT_MET);
    }

    @Test
    void handlersUseNoMoreThreadsThanTheirConcurrency() {
        run.product(Measure.HANDLERS_64, Quantity.THREADS, 64, 63).product(Measure.HANDLERS_512, Quantity.THREADS, 513);

        assertThat(goal("handlers of 5 ms, concurrency 64", "threads"))
                .isEqualTo(new Goal(
                        "handlers of 5 ms, concurrency 64",
                        "threads ≤ 64",
                        "64 (worst of 2 rounds; median 63.5)",
                        Verdict.MET));
        assertThat(goal("handlers of 5 ms, concurrency 512", "threads").verdict())
                .isEqualTo(Verdict.NOT_MET);
    }

    @Test
    void idleGoalUsesCommandsPerSecond() {
        run.product(Measure.IDLE, Quantity.COMMANDS_PER_SECOND, 14, 15.2, 16);

        assertThat(goal("idle, 10 topics", ""))
                .isEqualTo(new Goal("idle, 10 topics", "commands ≤ 15/s", "15.2/s", Verdict.NOT_MET));
    }

    @Test
    void cpuGoalOfBatchesAddsConsumption() {
        run.product(Measure.SEND, Quantity.CPU_USER, 6)
                .product(Measure.SEND, Quantity.CPU_SYSTEM, 2)
                .product(Measure.DRAIN, Quantity.CPU_USER, 5.5)
                .product(Measure.DRAIN, Quantity.CPU_SYSTEM, 1)
                .product(Measure.SEND_ALL_8, Quantity.CPU_USER, 1.25)
                .product(Measure.SEND_ALL_8, Quantity.CPU_SYSTEM, 0.5);

        assertThat(goal("Redis CPU: send, 8 threads", ""))
                .isEqualTo(new Goal("Redis CPU: send, 8 threads", "≤ 11 µs per message", "8 µs", Verdict.MET));
        assertThat(goal("Redis CPU: sendAll of 500, 8 threads, and drain", ""))
                .isEqualTo(new Goal(
                        "Redis CPU: sendAll of 500, 8 threads, and drain",
                        "≤ 7 µs per message",
                        "8.25 µs (1.75 + 6.50)",
                        Verdict.NOT_MET));
    }

    @Test
    void instructionsAreComparedWithThoseOfAScriptWithoutKeys() {
        run.product(Measure.INSTRUCTIONS, Quantity.OF_SCRIPT, 10_000)
                .product(Measure.INSTRUCTIONS, Quantity.OF_SEND, 75_000)
                .product(Measure.INSTRUCTIONS, Quantity.OF_IDLE_POLL, 117_001)
                .rounds(Measure.INSTRUCTIONS, Party.REDISSON, 0, Quantity.OF_SEND, 999_999);

        assertThat(goal("instructions of Redis", "send ≤"))
                .isEqualTo(new Goal(
                        "instructions of Redis",
                        "send ≤ 7.50 × a script without keys",
                        "7.50 × (75,000 instructions)",
                        Verdict.MET));
        assertThat(goal("instructions of Redis", "idle poll").verdict()).isEqualTo(Verdict.NOT_MET);
        assertThat(goal("instructions of Redis", "claim 1 ≤").verdict()).isEqualTo(Verdict.NOT_MEASURED);
    }

    @Test
    void memoryGoalAppliesToTwoScheduledCounts() {
        run.rounds(Measure.MEMORY, Party.PRODUCT, 10_000, Quantity.BYTES, 999)
                .rounds(Measure.MEMORY, Party.PRODUCT, 100_000, Quantity.BYTES, 400)
                .rounds(Measure.MEMORY, Party.PRODUCT, 1_000_000, Quantity.BYTES, 401)
                .rounds(Measure.MEMORY, Party.REDISSON, 5_000_000, Quantity.BYTES, 300);

        assertThat(Goals.of(run.summary()).stream().filter(goal -> goal.title().startsWith("memory")))
                .containsExactly(
                        new Goal("memory, 100,000 scheduled", "memory ≤ 400 B", "400 B", Verdict.MET),
                        new Goal("memory, 1,000,000 scheduled", "memory ≤ 400 B", "401 B", Verdict.NOT_MET));
    }

    @Test
    void growthGoalComparesFirstAndLastScheduledCount() {
        run.rate(Measure.SEND, Party.PRODUCT, 0, 9_999)
                .rate(Measure.SEND, Party.PRODUCT, 10_000, 1_000)
                .rate(Measure.SEND, Party.PRODUCT, 1_000_000, 1)
                .rate(Measure.SEND, Party.PRODUCT, 5_000_000, 851)
                .rate(Measure.DRAIN, Party.PRODUCT, 10_000, 1_000)
                .rate(Measure.DRAIN, Party.PRODUCT, 5_000_000, 850);

        assertThat(goal("growth: send, 8 threads", ""))
                .isEqualTo(new Goal(
                        "growth: send, 8 threads", "change of the rate > -15 % " + GROWTH, "-14.9 %", Verdict.MET));
        assertThat(goal("growth: drain, concurrency 8", "").verdict()).isEqualTo(Verdict.NOT_MET);
    }

    @Test
    void growthOfBatchesIsComparedWithTheFloor() {
        run.rate(Measure.SEND_ALL_1, Party.PRODUCT, 10_000, 1_000)
                .rate(Measure.SEND_ALL_1, Party.PRODUCT, 5_000_000, 710)
                .rate(Measure.SEND_ALL_1, Party.FLOOR_LETTUCE, 10_000, 2_000)
                .rate(Measure.SEND_ALL_1, Party.FLOOR_JEDIS, 5_000_000, 1_600)
                .rate(Measure.SEND_ALL_8, Party.PRODUCT, 10_000, 1_000)
                .rate(Measure.SEND_ALL_8, Party.PRODUCT, 5_000_000, 690)
                .rate(Measure.SEND_ALL_8, Party.FLOOR_JEDIS, 10_000, 2_000)
                .rate(Measure.SEND_ALL_8, Party.FLOOR_JEDIS, 5_000_000, 1_600);

        assertThat(goal("growth: sendAll of 500, 1 thread", ""))
                .isEqualTo(new Goal(
                        "growth: sendAll of 500, 1 thread",
                        "change of the rate ≥ the floor's - 10 percentage points " + GROWTH,
                        "-29.0 %, the floor -20.0 %",
                        Verdict.MET));
        assertThat(goal("growth: sendAll of 500, 8 threads", "").verdict()).isEqualTo(Verdict.NOT_MET);
    }

    @Test
    void burstGoalsUseTheLongestScriptAndTheDrainRate() {
        run.product(Measure.BURST, Quantity.LONGEST_SCRIPT, 2, 10.5, 3)
                .rounds(Measure.BURST, Party.PRODUCT, 100_000, Quantity.RATE, 800)
                .rate(Measure.DRAIN, Party.PRODUCT, 0, 1_000);

        assertThat(goal("burst of one millisecond", "longest"))
                .isEqualTo(new Goal(
                        "burst of one millisecond",
                        "longest script ≤ 10 ms",
                        "10.5 ms (worst of 3 rounds; median 3)",
                        Verdict.NOT_MET));
        assertThat(goal("burst of one millisecond, 100,000 scheduled", "rate"))
                .isEqualTo(new Goal(
                        "burst of one millisecond, 100,000 scheduled",
                        "rate ≥ 80 % of drain",
                        "80.0 % (800/s of 1,000/s)",
                        Verdict.MET));
    }

    @Test
    void startUpGoalsUseTheAdditionalTime() {
        run.rounds(Measure.START_UP, Party.SPRING_BOOT, 0, Quantity.READY_AFTER, 2_000, 2_300, 2_400)
                .product(Measure.START_UP, Quantity.READY_AFTER, 2_600, 2_700, 3_000)
                .rounds(Measure.START_UP, Party.LISTENER, 0, Quantity.READY_AFTER, 2_801);

        assertThat(goal("start-up, delayqueue", ""))
                .isEqualTo(new Goal(
                        "start-up, delayqueue",
                        "≤ 400 ms more than without delayqueue",
                        "400 ms more (2,700 to 2,300 ms)",
                        Verdict.MET));
        assertThat(goal("start-up, delayqueue with a listener", "").verdict()).isEqualTo(Verdict.NOT_MET);
    }

    private Goal goal(String title, String part) {
        List<Goal> found = Goals.of(run.summary()).stream()
                .filter(goal -> goal.title().equals(title) && goal.goal().contains(part))
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }
}
