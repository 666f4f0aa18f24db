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
                Arguments.of("intervals 5s", new Backoff.Intervals(List.of(Duration.ofSeconds(5)))));
    }

    @ParameterizedTest
    @MethodSource("expressions")
    void anExpressionIsRead(String text, Backoff expected) {
        assertThat(BackoffExpression.matches(text)).isTrue();
        assertThat(BackoffExpression.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            fixed                  | '' is not a duration
            fixed soon             | 'soon' is not a duration
            exponential 1s max     | 'max' is followed by a value
            exponential 1s often   | 'often' is none of 'x2', 'max 1h' and 'jitter 0.2'
            exponential 1s xx      | 'x' is not a number
            exponential 1s x0.5    | multiplier is 1 or more, but is 0.5
            5s                     | one of these words is missing
            0s,,1s                 | is not a duration
            sometimes              | 'sometimes' is not a back-off
            """)
    void whatIsWrongIsTold(String text, String sentence) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BackoffExpression.parse(text))
                .withMessageContaining(sentence);
    }

    @Test
    void anotherWordMayBeTheNameOfABean() {
        assertThat(BackoffExpression.matches("myPolicy")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"5s", "fixed", "exponential", "1s,"})
    void aMistakenExpressionIsNoName(String text) {
        assertThat(BackoffExpression.matches(text)).isTrue();
    }
}
