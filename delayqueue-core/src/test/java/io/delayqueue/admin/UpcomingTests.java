package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The width of buckets. */
class UpcomingTests {

    private static final Instant LATEST = Instant.parse("2036-11-29T09:00:00.012Z");

    @Test
    void theLastBucketContainsTheLastMessageWhateverTheFractionOfTheMillisecond() {
        for (int micros = 0; micros < 30_000; micros += 100) {
            Instant now = LATEST.minus(Duration.ofDays(3650)).plusNanos(micros * 1000L);
            Duration width = Upcoming.widthUntil(LATEST, now, 10);

            Instant from = Instant.ofEpochMilli(now.toEpochMilli());
            assertThat(from.plus(width.multipliedBy(10))).isAfterOrEqualTo(LATEST);
            assertThat(from.plus(width.multipliedBy(9))).isBefore(LATEST);
        }
    }

    @Test
    void bucketsHaveAtLeastOneMillisecond() {
        assertThat(Upcoming.widthUntil(null, LATEST, 24)).isEqualTo(Duration.ofMillis(1));
        assertThat(Upcoming.widthUntil(LATEST, LATEST, 24)).isEqualTo(Duration.ofMillis(1));
        assertThat(Upcoming.widthUntil(LATEST, LATEST.plusSeconds(1), 24)).isEqualTo(Duration.ofMillis(1));
    }
}
