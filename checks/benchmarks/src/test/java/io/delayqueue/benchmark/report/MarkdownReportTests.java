package io.delayqueue.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.benchmark.result.Run;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Content of the Markdown document. */
class MarkdownReportTests {

    private final RunBuilder run = new RunBuilder();

    @Test
    void environmentIsEscaped() {
        run.environment("JVM | VM", "a|b\\c *d* `e` [f] <g>\r\nh");

        assertThat(document()).contains("| JVM \\| VM | a\\|b\\\\c \\*d\\* \\`e\\` \\[f] &lt;g> h |\n");
    }

    @Test
    void goalsAreCountedByVerdict() {
        run.product(Measure.IDLE, Quantity.COMMANDS_PER_SECOND, 12)
                .rounds(Measure.MEMORY, Party.PRODUCT, 100_000, Quantity.BYTES, 999);

        assertThat(document())
                .contains("\n1 met, 1 not met, 45 not measured. ")
                .contains("| idle, 10 topics | commands ≤ 15/s | 12/s | ✓ met |\n")
                .contains("| memory, 100,000 scheduled | memory ≤ 400 B | 999 B | ✗ not met |\n")
                .contains("| send, 8 threads | ≥ 100 % of the floor | – | not measured |\n");
    }

    @Test
    void ratesAreShownWithRatiosToTheFloorAndRedisson() {
        run.rate(Measure.SEND, Party.PRODUCT, 0, 27_000, 26_000, 28_500)
                .rounds(Measure.SEND, Party.PRODUCT, 0, Quantity.ROUND_TRIPS, 0.032, 0.031, 0.04)
                .rate(Measure.SEND, Party.FLOOR_LETTUCE, 0, 36_000)
                .rate(Measure.SEND, Party.REDISSON, 0, 9_000);

        assertThat(document()).contains("""
                        ### send, 8 threads: nothing scheduled

                        |  | rate (/s) | of the floor | to Redisson | round trips |
                        |---|---:|---:|---:|---:|
                        | delayqueue | 27,000 (26,000–28,500) | 75.0 % | 3.00 × | 0.032 |
                        | floor (Lettuce) | 36,000 | 100.0 % | 4.00 × | – |
                        | Redisson | 9,000 | 25.0 % | 1.00 × | – |
                        """);
    }

    @Test
    void ratioToRedissonIsOmittedIfRedissonWasNotMeasured() {
        run.rate(Measure.DRAIN, Party.PRODUCT, 5_000_000, 27_000)
                .rate(Measure.DRAIN, Party.FLOOR_JEDIS, 5_000_000, 36_000)
                .rate(Measure.DRAIN, Party.REDISSON, 0, 9_000);

        assertThat(document()).contains("""
                        ### drain, concurrency 8: 5,000,000 scheduled

                        |  | rate (/s) | of the floor |
                        |---|---:|---:|
                        | delayqueue | 27,000 | 75.0 % |
                        | floor (Jedis) | 36,000 | 100.0 % |
                        """);
    }

    @Test
    void ratesAreComparedWithTheOriginalIfItWasMeasured() {
        run.rate(Measure.HTTP_POP, Party.PRODUCT, 0, 2_000)
                .rate(Measure.HTTP_POP, Party.ORIGINAL, 0, 2_500)
                .rate(Measure.HTTP_PUSH, Party.PRODUCT, 0, 3_000);

        assertThat(document()).contains("""
                        ### ouqiang/delay-queue: pop and finish: nothing scheduled

                        |  | rate (/s) | to the original |
                        |---|---:|---:|
                        | delayqueue | 2,000 | 0.80 × |
                        | ouqiang/delay-queue, in Go | 2,500 | 1.00 × |
                        """).containsOnlyOnce("original");
    }

    @Test
    void measuresSayHowMessagesAreSent() {
        run.rate(Measure.HIGHEST_RATE, Party.PRODUCT, 0, 2_000);

        assertThat(document())
                .contains("### highest sustained rate: nothing scheduled\n\nFour threads in turn send a batch");
    }

    @Test
    void partsOfTheLagAreATableOfTheirOwn() {
        run.product(Measure.LAG, Quantity.P50, 1.5);
        for (int part = 0; part < Quantity.LAG.size(); part++) {
            run.product(Measure.LAG, Quantity.LAG.get(part), part == 0 ? 0.6 : 0.1);
            run.product(Measure.LAG, Quantity.LAG_LATEST.get(part), part == 4 ? 6 : 1);
        }

        assertThat(document()).contains("""
                        |  | lateness p50 (ms) |
                        |---|---:|
                        | delayqueue | 1.50 |
                        """).contains("""
                        |  | around the median (ms) | share | latest 1 % (ms) | share |
                        |---|---:|---:|---:|---:|
                        | wake-up of the poller | 0.600 | 60.0 % | 1 | 10.0 % |
                        | way to Redis, and waiting there | 0.100 | 10.0 % | 1 | 10.0 % |
                        | script | 0.100 | 10.0 % | 1 | 10.0 % |
                        | way back | 0.100 | 10.0 % | 1 | 10.0 % |
                        | hand-off to the handler | 0.100 | 10.0 % | 6 | 60.0 % |
                        | sum | 1 |  | 10 |  |
                        """);
    }

    @Test
    void earlyMessageOfOneRoundIsShown() {
        run.product(Measure.LATENESS, Quantity.EARLY, 0, 0, 1);

        assertThat(document()).contains("| delayqueue | 0 (0–1) |\n");
    }

    @Test
    void growthShowsTheChangeOfRates() {
        run.rate(Measure.SEND, Party.PRODUCT, 0, 1_100)
                .rate(Measure.SEND, Party.PRODUCT, 10_000, 1_000)
                .rate(Measure.SEND, Party.PRODUCT, 100_000, 1_010)
                .rate(Measure.SEND, Party.PRODUCT, 5_000_000, 800)
                .rate(Measure.SEND, Party.FLOOR_JEDIS, 10_000, 2_000)
                .rate(Measure.SEND, Party.FLOOR_JEDIS, 5_000_000, 1_900)
                .rate(Measure.DRAIN, Party.PRODUCT, 0, 700)
                .rate(Measure.SEND_ALL_1, Party.PRODUCT, 0, 500)
                .rate(Measure.SEND_ALL_1, Party.PRODUCT, 1_000, 250);

        assertThat(document()).endsWith("""
                        |  | scheduled | delayqueue (/s) | change | floor (/s) | change |
                        |---|---:|---:|---:|---:|---:|
                        | send, 8 threads | 0 | 1,100 |  | – |  |
                        | send, 8 threads | 10,000 | 1,000 |  | 2,000 |  |
                        | send, 8 threads | 100,000 | 1,010 | +1.0 % | – | – |
                        | send, 8 threads | 5,000,000 | 800 | -20.0 % | 1,900 | -5.0 % |
                        | sendAll of 500, 1 thread | 0 | 500 |  | – |  |
                        | sendAll of 500, 1 thread | 1,000 | 250 | -50.0 % | – | – |
                        """);
    }

    @Test
    void runWithOneScheduledCountHasNoGrowth() {
        run.rate(Measure.SEND, Party.PRODUCT, 0, 1_100);

        assertThat(document()).doesNotContain("## Growth");
    }

    @Test
    void chartsAreLinkedByFileName() {
        Run built = run.build();
        Summary summary = new Summary(built);

        assertThat(MarkdownReport.of(
                        built, summary, List.of(), List.of(new Picture("lateness.png", "Lateness by party"))))
                .contains("\n![Lateness by party](lateness.png)\n");
    }

    private String document() {
        Run built = run.build();
        Summary summary = new Summary(built);
        return MarkdownReport.of(built, summary, Goals.of(summary), List.of());
    }
}
