package io.delayqueue.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Summary of a run over its rounds. */
class SummaryTests {

    private static final Offset<Double> TOLERANCE = within(1e-9);

    @Test
    void medianOfOddRoundsIsTheMiddleValue() {
        Summary summary = new RunBuilder()
                .rate(Measure.SEND, Party.PRODUCT, 0, 300, 100, 900)
                .summary();

        assertThat(summary.spread(Measure.SEND, Party.PRODUCT, 0, Quantity.RATE))
                .contains(new Spread(300, 100, 900, 3));
        assertThat(summary.rounds()).isEqualTo(3);
    }

    @Test
    void medianOfEvenRoundsIsTheMeanOfTheMiddleValues() {
        Summary summary = new RunBuilder()
                .rate(Measure.SEND, Party.PRODUCT, 0, 400, 100, 900, 300)
                .summary();

        assertThat(summary.median(Measure.SEND, Party.PRODUCT, 0, Quantity.RATE))
                .hasValue(350);
    }

    @Test
    void singleRoundIsItsOwnMedian() {
        Summary summary =
                new RunBuilder().rate(Measure.SEND, Party.PRODUCT, 0, 300).summary();

        assertThat(summary.spread(Measure.SEND, Party.PRODUCT, 0, Quantity.RATE))
                .contains(new Spread(300, 300, 300, 1));
    }

    @Test
    void scheduledCountsAreSummarizedSeparately() {
        Summary summary = new RunBuilder()
                .rate(Measure.SEND, Party.PRODUCT, 0, 300)
                .rate(Measure.SEND, Party.PRODUCT, 10_000, 200)
                .rounds(Measure.SEND, Party.JAVA, 5, Quantity.COMMANDS, 1)
                .summary();

        assertThat(summary.median(Measure.SEND, Party.PRODUCT, 10_000, Quantity.RATE))
                .hasValue(200);
        assertThat(summary.scheduled(Measure.SEND)).containsExactly(0L, 5L, 10_000L);
        assertThat(summary.scheduled(Measure.SEND, Party.PRODUCT, Quantity.RATE))
                .containsExactly(0L, 10_000L);
        assertThat(summary.parties(Measure.SEND, 5)).containsExactly(Party.JAVA);
        assertThat(summary.quantities(Measure.SEND, 5)).containsExactly(Quantity.COMMANDS);
    }

    @Test
    void floorIsChosenByMedianRate() {
        Summary summary = new RunBuilder()
                .rate(Measure.DRAIN, Party.FLOOR_LETTUCE, 0, 100, 110, 999)
                .rate(Measure.DRAIN, Party.FLOOR_JEDIS, 0, 120, 121, 122)
                .rate(Measure.DRAIN, Party.PRODUCT, 0, 5_000)
                .summary();

        assertThat(summary.floor(Measure.DRAIN, 0)).contains(new Summary.Floor(Party.FLOOR_JEDIS, 121));
        assertThat(summary.floor(Measure.DRAIN, 10_000)).isEmpty();
    }

    @Test
    void ratioIsTheRatioOfTheMedians() {
        Summary summary = new RunBuilder()
                .rate(Measure.SEND, Party.PRODUCT, 0, 10, 60, 90)
                .rate(Measure.SEND, Party.FLOOR_LETTUCE, 0, 100, 80, 70)
                .rate(Measure.SEND, Party.REDISSON, 0, 5, 20, 30)
                .summary();

        assertThat(summary.ofFloor(Measure.SEND, Party.PRODUCT, 0)).hasValue(60.0 / 80);
        assertThat(summary.timesOf(Party.REDISSON, Measure.SEND, Party.PRODUCT, 0))
                .hasValue(3);
    }

    @Test
    void ratioToAMissingOrZeroRateIsAbsent() {
        Summary summary = new RunBuilder()
                .rate(Measure.SEND, Party.PRODUCT, 0, 10)
                .rate(Measure.SEND, Party.FLOOR_LETTUCE, 0, 0)
                .rate(Measure.SEND, Party.REDISSON, 10_000, 10)
                .summary();

        assertThat(summary.ofFloor(Measure.SEND, Party.PRODUCT, 0)).isEmpty();
        assertThat(summary.timesOf(Party.REDISSON, Measure.SEND, Party.PRODUCT, 0))
                .isEmpty();
        assertThat(summary.timesOf(Party.REDISSON, Measure.SEND, Party.PRODUCT, 10_000))
                .isEmpty();
    }

    @Test
    void changeIsAFractionOfTheRate() {
        Summary summary = new RunBuilder()
                .rate(Measure.SEND, Party.PRODUCT, 10, 200)
                .rate(Measure.SEND, Party.PRODUCT, 20, 150)
                .rate(Measure.SEND, Party.FLOOR_LETTUCE, 10, 400)
                .rate(Measure.SEND, Party.FLOOR_JEDIS, 10, 300)
                .rate(Measure.SEND, Party.FLOOR_JEDIS, 20, 360)
                .summary();

        assertThat(summary.change(Measure.SEND, Party.PRODUCT, 10, 20)).hasValue(-0.25);
        assertThat(summary.floorChange(Measure.SEND, 10, 20).orElseThrow()).isCloseTo(-0.1, TOLERANCE);
        assertThat(summary.change(Measure.SEND, Party.FLOOR_JEDIS, 10, 20).orElseThrow())
                .isCloseTo(0.2, TOLERANCE);
        assertThat(summary.change(Measure.SEND, Party.FLOOR_LETTUCE, 10, 20)).isEmpty();
    }

    @Test
    void cpuIsTheSumOfUserAndSystemOrAbsent() {
        Summary summary = new RunBuilder()
                .product(Measure.SEND, Quantity.CPU_USER, 5, 7, 6)
                .product(Measure.SEND, Quantity.CPU_SYSTEM, 1, 3, 9)
                .product(Measure.DRAIN, Quantity.CPU_USER, 5)
                .summary();

        assertThat(summary.cpu(Measure.SEND, Party.PRODUCT, 0)).hasValue(9);
        assertThat(summary.cpu(Measure.DRAIN, Party.PRODUCT, 0)).isEmpty();
    }

    @Test
    void nonFiniteValuesAreIgnored() {
        Summary summary = new RunBuilder()
                .rate(Measure.SEND, Party.PRODUCT, 0, 10, Double.NaN, 30, Double.POSITIVE_INFINITY)
                .rate(Measure.SEND, Party.REDISSON, 0, Double.NEGATIVE_INFINITY)
                .summary();

        assertThat(summary.spread(Measure.SEND, Party.PRODUCT, 0, Quantity.RATE))
                .contains(new Spread(20, 10, 30, 2));
        assertThat(summary.parties(Measure.SEND, 0)).containsExactly(Party.PRODUCT);
        assertThat(summary.leftOut()).isEqualTo(3);
    }
}
