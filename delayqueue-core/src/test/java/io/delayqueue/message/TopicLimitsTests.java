package io.delayqueue.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.TopicLimits.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopicLimitsTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @ParameterizedTest
    @CsvSource({"100/1m,100,60000", "' 5 / 10s ',5,10000", "1/1d,1,86400000", "7/PT0.5S,7,500", "3/1h30m,3,5400000"})
    void rateIsParsed(String text, int count, long millis) {
        assertThat(Rate.parse(text)).isEqualTo(new Rate(count, Duration.ofMillis(millis)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"100/1m", "5/10s", "1/1d", "7/500ms", "3/90m", "9/2h", "1/1500ms"})
    void textOfARateIsReadAgain(String text) {
        assertThat(Rate.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "100", "100/", "/1m", "100/60", "100/m", "-1/1m", "0/1m", "1000001/1m", "9999999999/1m"})
    @ValueSource(strings = {"1/0s", "1/2d", "1/1500us", "1/0.5ms", "1/soon", "1100/1ms", "1e3/1m", "1/-1m"})
    void invalidRateIsRejected(String text) {
        assertThatThrownBy(() -> Rate.parse(text))
                .isInstanceOfSatisfying(
                        InvalidOptionException.class,
                        e -> assertThat(e.option()).isEqualTo("rate"));
    }

    @Test
    void aRateWithoutAUnitSaysWhatToWrite() {
        assertThatThrownBy(() -> Rate.parse("100/60"))
                .hasMessage("rate is '100/60', but '60' has no unit: write 60s or 60ms");
        assertThatThrownBy(() -> Rate.parse("often"))
                .hasMessage("rate must be a count and a period, such as 100/1m, but was 'often'");
    }

    @Test
    void valuesOutOfRangeAreRejected() {
        assertThatThrownBy(() -> new TopicLimits(0, null, null))
                .hasMessage("maxConcurrent must be from 1 to 1000000, but was 0");
        assertThatThrownBy(() -> new TopicLimits(1_000_001, null, null)).hasMessageStartingWith("maxConcurrent ");
        assertThatThrownBy(() -> new TopicLimits(null, 0, null, null)).hasMessageStartingWith("maxConcurrentPerKey ");
        assertThatThrownBy(() -> new TopicLimits(null, 1001, null, null))
                .hasMessageStartingWith("maxConcurrentPerKey ");
        assertThatThrownBy(() -> new TopicLimits(null, null, 0L)).hasMessageStartingWith("maxMessages must be from 1 ");
        assertThatThrownBy(() -> new TopicLimits(null, null, 1_000_000_000_001L))
                .hasMessageStartingWith("maxMessages ");
        assertThatThrownBy(() -> new Rate(100, MINUTE, 0)).hasMessage("rateBurst must be from 1 to 100, but was 0");
        assertThatThrownBy(() -> new Rate(100, MINUTE, 101)).hasMessageStartingWith("rateBurst ");
        assertThatThrownBy(() -> TopicLimits.of(null, null, null, 5, null))
                .hasMessage("rateBurst must not be set without a rate");
    }

    @Test
    void theLargestValuesAreAccepted() {
        TopicLimits largest =
                new TopicLimits(1_000_000, new Rate(1_000_000, Duration.ofDays(1), 1_000_000), 1_000_000_000_000L);
        assertThat(TopicLimits.parse(largest.text())).isEqualTo(largest);
        assertThat(largest.scriptText()).isEqualTo("1000000 86400 1000000 1000000000000");
        assertThat(new Rate(1000, Duration.ofMillis(1), 1000).intervalMicros()).isEqualTo(1);
        assertThat(new Rate(1_000_000, Duration.ofSeconds(1)).intervalMicros()).isEqualTo(2);
    }

    static Stream<TopicLimits> limits() {
        return Stream.of(
                TopicLimits.NONE,
                new TopicLimits(3, new Rate(100, MINUTE), 1_000_000L),
                new TopicLimits(3, null, null),
                new TopicLimits(null, new Rate(100, MINUTE, 7), null),
                new TopicLimits(null, 2, null, null),
                new TopicLimits(null, null, 5L));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void textOfLimitsIsReadAgain(TopicLimits limits) {
        assertThat(TopicLimits.parse(limits.text())).isEqualTo(limits);
    }

    @Test
    void textsOfRegistryAndScripts() {
        TopicLimits all = TopicLimits.of(3, null, "100/1m", null, 1_000_000L);
        assertThat(all.text()).isEqualTo("3 100/60000/- 1000000");
        assertThat(all.scriptText()).isEqualTo("3 631579 6 1000000");
        assertThat(all).hasToString("at most 3 at a time, 100/1m, at most 1000000 messages");
        TopicLimits perKey = TopicLimits.of(3, 2, "100/1m", null, null);
        assertThat(perKey.text()).isEqualTo("3/2 100/60000/- 0");
        assertThat(perKey.scriptText()).isEqualTo("3 631579 6 0 2");
        assertThat(perKey).hasToString("at most 3 at a time, at most 2 at a time per key, 100/1m");
        TopicLimits burst = TopicLimits.of(null, null, "100/1m", 20, null);
        assertThat(burst.text()).isEqualTo("0 100/60000/20 0");
        assertThat(burst.scriptText()).isEqualTo("0 600000 20 0");
        assertThat(burst).hasToString("100/1m in bursts of at most 20");
        assertThat(TopicLimits.NONE.text()).isEqualTo("0 0 0");
        assertThat(TopicLimits.NONE.scriptText()).isEmpty();
        assertThat(TopicLimits.NONE.isNone()).isTrue();
        assertThat(all.isNone()).isFalse();
        assertThat(TopicLimits.of(null, null, null, null, 5L).scriptText()).isEqualTo("0 0 0 5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "3", "3 0", "3 0 0 0", "x 0 0", "3 100/60000 0", "3 0/60000/- 0", "3 100/60000/101 0"})
    void otherTextsAreNoLimits(String text) {
        assertThatThrownBy(() -> TopicLimits.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Starts as early as the arithmetic of the claim permits, after pauses of any length. */
    private static List<Long> starts(Rate rate, Random random) {
        long interval = rate.intervalMicros();
        long tolerance = (rate.mostAtOnce() - 1) * interval;
        long period = rate.period().toMillis() * 1000;
        List<Long> starts = new ArrayList<>();
        long now = 0;
        long arrival = 0;
        for (int i = 0; i < 5 * rate.count(); i++) {
            if (random.nextInt(rate.count()) == 0) {
                now += random.nextLong(2 * period);
            }
            now = Math.max(now, arrival - tolerance);
            arrival = Math.max(arrival, now) + interval;
            starts.add(now);
        }
        return starts;
    }

    /** The most starts of any time that begins with a start and is shorter than the period. */
    private static int mostWithin(List<Long> starts, long period) {
        int most = 0;
        int first = 0;
        for (int last = 0; last < starts.size(); last++) {
            while (starts.get(last) - starts.get(first) >= period) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }

    private static int most(int count, long millis, @Nullable Integer burst) {
        Rate rate = new Rate(count, Duration.ofMillis(millis), burst);
        int most = 0;
        for (int seed = 0; seed < 5; seed++) {
            most = Math.max(most, mostWithin(starts(rate, new Random(seed)), millis * 1000));
        }
        return most;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 1000})
    void noPeriodHoldsMoreThanCountStarts(long millis) {
        for (int count = 1; count <= 130; count++) {
            assertThat(most(count, millis, null)).as("count " + count).isBetween(1, count);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 19, 20, 39, 100})
    void aChosenBurstAddsAtMostItselfLessOne(int count) {
        for (int burst = 1; burst <= count; burst++) {
            assertThat(most(count, 1000, burst)).as("burst " + burst).isBetween(burst, burst - 1 + count);
        }
    }

    @Test
    void theDefaultSustainsNinetyFivePercent() {
        for (int count = 1; count <= 1000; count++) {
            Rate rate = new Rate(count, MINUTE);
            long sustained = MINUTE.toMillis() * 1000 / rate.intervalMicros();
            assertThat(sustained).as("count " + count).isBetween((95L * count + 99) / 100 - 1, (long) count);
        }
    }
}
