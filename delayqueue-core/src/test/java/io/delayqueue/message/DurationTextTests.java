package io.delayqueue.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTests {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s",
        "PT0.2S, 200 ms",
        "PT0.0000015S, 1500 ns",
        "PT1S, 1 s",
        "PT90S, 1 min 30 s",
        "PT10M, 10 min",
        "PT24H, 1 day",
        "P3653D, '3,653 days'",
        "P1DT2H3M4.005S, 1 day 2 h 3 min 4 s 5 ms",
        "PT8766H, 1 year",
        "P365250D, '1,000 years'",
        "PT-1S, -1 s"
    })
    void durationsAreWrittenInWords(Duration duration, String words) {
        assertThat(DurationText.of(duration)).isEqualTo(words);
    }
}
