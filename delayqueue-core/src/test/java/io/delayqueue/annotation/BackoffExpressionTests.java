package io.delayqueue.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.delayqueue.listener.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BackoffExpressionTests {

    static Stream<Arguments> expressions() {
        return Stream.of(
                Arguments.of("fixed 5s", new Backoff.Fixed(Duration.ofSeconds(5))),
                Arguments.of(" Fixed  PT1M ", new Backoff.Fixed(Duration.ofMinutes(1))),
                Arguments.of(
                        "exponential 1s x3 max 10m jitter 0.5",
                        new Backoff.Exponential(Duration.ofSeconds(1), 3, Duration.ofMinutes(10), 0.5)),
                Arguments.of(
                        "exponential 2s jitter 0 x1.5",
                        new Backoff.Exponential(Duration.ofSeconds(2), 1.5, Duration.ofHours(1), 0)),
                Arguments.of(
                        "exponential 500ms",
                        new Backoff.Exponential(Duration.ofMillis(500), 2, Duration.ofHours(1), 0.2)),
                Arguments.of(
                        "0s,0s,2m, 1h30m",
                        new Backoff.Intervals(
                                List.of(Duration.ZERO, Duration.ZERO, Duration.ofMinutes(2), Duration.ofMinutes(90)))),
                Arguments.of("fixed 0", new Backoff.Fixed(Duration.ZERO)),
                Arguments.of(
                        "exponential 2h jitter 0",
                        new Backoff.Exponential(Duration.ofHours(2), 2, Duration.ofHours(2), 0)),
                Arguments.of("0,2m", new Backoff.Intervals(List.of(Duration.ZERO, Duration.ofMinutes(2)))),
                Arguments.of("intervals 5s", new Backoff.Intervals(List.of(Duration.ofSeconds(5)))));
    }

    @ParameterizedTest
    @MethodSource("expressions")
    void expressionIsParsed(String text, Backoff expected) {
        assertThat(BackoffExpression.matches(text)).isTrue();
        assertThat(BackoffExpression.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            fixed                  | 'fixed' requires a duration, for example 'fixed 5s'
            exponential            | 'exponential' requires a duration
            fixed 5                | '5' has no unit: write 5s or 5ms
            5                      | '5' has no unit and is ambiguous: write 'fixed 5s' or 'intervals 5s' (a single retry)
            0s,5,10m               | '5' has no unit: write 5s or 5ms
            exponential 1 max 10   | '1' has no unit: write 1s or 1ms
            exponential 1s max 60  | '60' has no unit: write 60s or 60ms
            exponential 1s max 9m max 8m | 'max' is given twice
            exponential 1s x2 x3   | 'x3' is given twice
            exponential 1s max 100ms | max must be at least the first delay (1 s), but was 100 ms
            fixed soon             | 'soon' is not a duration
            exponential 1s max     | 'max' needs a value
            exponential 1s often   | 'often' must be one of 'x2', 'max 1h' and 'jitter 0.2'
            exponential 1s xx      | 'x' is not a number
            exponential 1s x0.5    | multiplier must be 1 or more, but was 0.5
            5s                     | '5s' is ambiguous: write 'fixed 5s' or 'intervals 5s' (a single retry)
            0s,,1s                 | is not a duration
            sometimes              | 'sometimes' is not a back-off
            """)
    void invalidExpressionIsRejected(String text, String sentence) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BackoffExpression.parse(text))
                .withMessageContaining(sentence);
    }

    @Test
    void otherTextMayBeTheNameOfABean() {
        assertThat(BackoffExpression.matches("myPolicy")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"5s", "5", "fixed", "exponential", "1s,"})
    void invalidExpressionIsNotABeanName(String text) {
        assertThat(BackoffExpression.matches(text)).isTrue();
    }
}
