package io.delayqueue.sample;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry;
import io.delayqueue.test.DelayQueueHarness;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.test.context.TestPropertySource;

/** A month of the shop, with the delays of a real one. */
@SampleTest
@TestPropertySource(
        properties = {
            "delayqueue.namespace=sample-month",
            "delayqueue-test.tasks=manual",
            "sample.notice.intervals=0s,0s,2m,10m,10m,1h,2h,6h,15h"
        })
@Import(MonthTests.Reports.class)
class MonthTests {

    private static final Duration INTERVALS = Duration.ofHours(24).plusMinutes(22);

    @Autowired
    private Shop shop;

    @Autowired
    private Journal journal;

    @Autowired
    private DelayQueueHarness queue;

    @Autowired
    private Reports reports;

    /** So that no report is due between the start of the month and its first task. */
    private void advanceToTenOClock() {
        OffsetDateTime now = reports.clock.instant().atOffset(ZoneOffset.UTC);
        OffsetDateTime today = now.with(LocalTime.of(10, 0));
        queue.advance(Duration.between(now, today.isAfter(now) ? today : today.plusDays(1)));
        reports.times.clear();
    }

    @Test
    void ordersReviewsNoticesAndReportsOfAMonth() {
        advanceToTenOClock();
        shop.merchant("DOWN");
        String unpaid = shop.order("Teapot");
        String paid = shop.paidOrder("Cup");
        shop.act(paid, "deliver").expectStatus().isOk();
        Instant start = reports.clock.instant();

        queue.advance(Duration.ofDays(30));

        assertThat(shop.status(unpaid)).isEqualTo("CANCELLED");
        assertHappened(
                unpaid, "Cancelled: not paid in time. (attempt 1, 0 ms after", start.plus(Duration.ofMinutes(30)));
        assertHappened(paid, "The notice is a dead letter after 10 attempts.", start.plus(INTERVALS));
        assertHappened(
                paid, "Reviewed automatically: five stars. (attempt 1, 0 ms after", start.plus(Duration.ofDays(14)));
        assertThat(reports.times)
                .hasSize(30)
                .allSatisfy(time ->
                        assertThat(time.atOffset(ZoneOffset.UTC).toLocalTime()).isEqualTo(LocalTime.of(9, 0)));
    }

    private void assertHappened(String orderId, String text, Instant when) {
        assertThat(journal.after(0))
                .filteredOn(
                        entry -> entry.orderId().equals(orderId) && entry.text().startsWith(text))
                .extracting(JournalEntry::at)
                .singleElement()
                .satisfies(at -> assertThat(at).isCloseTo(when, within(1, MINUTES)));
    }

    /** A report for each day, by the clock of the test. */
    @TestConfiguration(proxyBeanMethods = false)
    static class Reports {

        private final List<Instant> times = new ArrayList<>();
        private final InstantSource clock;

        Reports(InstantSource clock) {
            this.clock = clock;
        }

        /** Takes the place of the application's clock. */
        @Bean
        @Primary
        static InstantSource testClock(DelayQueueHarness queue) {
            return queue.clock();
        }

        @DelayListener(id = "daily-report", topic = "report", cron = "0 0 9 * * *", zone = "UTC")
        void report() {
            times.add(clock.instant());
        }
    }
}
