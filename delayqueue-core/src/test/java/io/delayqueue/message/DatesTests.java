package io.delayqueue.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dates of users: {@link Due#at} and {@link DelayMessage.Builder#expireAt}. */
class DatesTests {

    private static final long NOW_SECONDS = 1_796_000_000L;

    private static DelayMessage.Builder message() {
        return DelayMessage.to("orders").payload("a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2000-01-01T00:00:00Z", "2026-11-28T00:00:00.001Z", "9999-12-31T23:59:59.999Z"})
    void datesFrom2000To9999AreAccepted(Instant date) {
        assertThat(message().dueAt(date).build().due()).isEqualTo(new Due(date.toEpochMilli(), false));
        assertThat(message().expireAt(date).build().limits().expireAt()).isEqualTo(date);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-1000000000-01-01T00:00:00Z",
                "1969-12-31T23:59:59Z",
                "1970-01-01T00:00:00Z",
                "1999-12-31T23:59:59.999999999Z"
            })
    void anEarlierDateIsRejected(Instant date) {
        rejected(date, "seconds taken for milliseconds?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"+10000-01-01T00:00:00Z", "+1000000000-12-31T23:59:59.999999999Z"})
    void aLaterDateIsRejected(Instant date) {
        rejected(date, "milliseconds taken for seconds?");
    }

    @Test
    void secondsAndMillisecondsAreNotConfused() {
        rejected(Instant.ofEpochMilli(NOW_SECONDS), "seconds taken for milliseconds?");
        rejected(Instant.ofEpochSecond(NOW_SECONDS * 1000), "milliseconds taken for seconds?");
    }

    private static void rejected(Instant date, String hint) {
        assertThatThrownBy(() -> message().dueAt(date))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("dueAt must be between 2000 and 9999, but was " + date + " (" + hint + ")");
        assertThatThrownBy(() -> message().expireAt(date))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expireAt must be between 2000 and 9999, but was " + date + " (" + hint + ")");
    }

    @ParameterizedTest
    @CsvSource({"2030-01-31T12:00:00.000000001Z,1", "2030-01-31T12:00:00.001Z,1", "2030-01-31T12:00:00.0010001Z,2"})
    void aDueDateIsRoundedUpToMilliseconds(Instant date, long millis) {
        assertThat(Due.at(date).millis() % 1000).isEqualTo(millis);
    }
}
