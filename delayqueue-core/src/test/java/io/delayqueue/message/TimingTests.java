package io.delayqueue.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.message.Timing.Advance;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimingTests {

    private static final String ID = "4711";
    private static final ZoneId ZURICH = ZoneId.of("Europe/Zurich");
    private static final Duration DAY = Duration.ofDays(1);

    private static final String PERIOD_RANGE = "period must be from 1 s to 10 years, but was ";
    private static final String SPREAD_RANGE = "spread must be from 0 s to 1 day, but was ";

    /** The first slots of a cron expression after an instant, all as UTC. */
    @ParameterizedTest
    @CsvSource({
        // At 02:00 the clock goes forward to 03:00.
        "0 30 2 * * *, Europe/Zurich, 2025-03-29T00:00Z, 03-29T01:30 03-30T01:00 03-31T00:30",
        "0 */20 2 * * *, Europe/Zurich, 2025-03-30T00:00Z, 03-30T01:00 03-31T00:00 03-31T00:20",
        "0 0 2-3 * * *, Europe/Zurich, 2025-03-30T00:00Z, 03-30T01:00 03-31T00:00 03-31T01:00",
        "0 30 * * * *, Europe/Zurich, 2025-03-30T00:00Z, 03-30T00:30 03-30T01:30 03-30T02:30",
        "0 */15 * * * *, Europe/Zurich, 2025-03-30T00:40Z, 03-30T00:45 03-30T01:00 03-30T01:15",
        "0 30 */2 * * *, Europe/Zurich, 2025-03-29T23:00Z, 03-29T23:30 03-30T02:30 03-30T04:30",
        // At 03:00 the clock goes back to 02:00.
        "0 30 2 * * *, Europe/Zurich, 2025-10-25T12:00Z, 10-26T00:30 10-27T01:30 10-28T01:30",
        "0 30 2 * * *, Europe/Zurich, 2025-10-26T01:10Z, 10-27T01:30 10-28T01:30",
        "0 0 3 * * *, Europe/Zurich, 2025-10-25T12:00Z, 10-26T02:00 10-27T02:00",
        "0 30 * * * *, Europe/Zurich, 2025-10-26T00:00Z, 10-26T00:30 10-26T01:30 10-26T02:30",
        "0 */15 * * * *, Europe/Zurich, 2025-10-26T00:40Z, 10-26T00:45 10-26T01:00 10-26T01:15 10-26T01:30",
        "0 */30 2-3 * * *, Europe/Zurich, 2025-10-25T23:00Z, 10-26T00:00 10-26T00:30 10-26T02:00 10-26T02:30",
        // At midnight the clock goes forward to 01:00.
        "0 0 0 * * *, Africa/Cairo, 2025-04-23T12:00Z, 04-23T22:00 04-24T22:00 04-25T21:00",
        "@daily, Africa/Cairo, 2025-04-24T21:59:59Z, 04-24T22:00 04-25T21:00",
        "@hourly, Africa/Cairo, 2025-04-24T20:30Z, 04-24T21:00 04-24T22:00 04-24T23:00",
        "0 0 */24 * * *, Africa/Cairo, 2025-04-23T12:00Z, 04-23T22:00 04-25T21:00",
        // At midnight the clock goes back to 23:00 of the day before.
        "0 30 23 * * *, Africa/Cairo, 2025-10-30T12:00Z, 10-30T20:30 10-31T21:30",
        "0 0 0 * * FRI, Africa/Cairo, 2025-10-30T12:00Z, 10-30T22:00 11-06T22:00",
        // At 02:00 the clock goes back to 01:30, and forward to 02:30.
        "0 45 1 * * *, Australia/Lord_Howe, 2025-04-05T00:00Z, 04-05T14:45 04-06T15:15",
        "0 */15 * * * *, Australia/Lord_Howe, 2025-04-05T14:31Z, 04-05T14:45 04-05T15:00 04-05T15:15 04-05T15:30",
        "0 15 2 * * *, Australia/Lord_Howe, 2025-10-04T00:00Z, 10-04T15:30 10-05T15:15",
        "0 15 * * * *, Australia/Lord_Howe, 2025-10-04T14:00Z, 10-04T14:45 10-04T16:15",
        // The whole 30 December does not exist.
        "0 0 12 * * *, Pacific/Apia, 2011-12-29T12:00Z, 12-29T22:00 12-30T10:00 12-30T22:00",
        "0 0 */12 * * *, Pacific/Apia, 2011-12-29T12:00Z, 12-29T22:00 12-30T10:00 12-30T22:00",
        // No clock changes.
        "0 0 0 29 2 MON, UTC, 2026-01-01T00:00Z, 2044-02-29T00:00 2072-02-29T00:00 2112-02-29T00:00",
        "0 0 0 L-30 * *, UTC, 2025-04-01T00:00Z, 2025-05-01T00:00 2025-05-31T00:00 2025-07-01T00:00"
    })
    void cronFollowsTheClocksOfItsZone(String expression, ZoneId zone, String after, String slots) {
        Timing timing = Timing.cron(expression, zone);
        Instant slot = Instant.parse(after.length() == 17 ? after.replace("Z", ":00Z") : after);
        for (String expected : slots.split(" ")) {
            slot = timing.next(ID, slot);
            String year = expected.length() == 11 ? after.substring(0, 5) : "";
            assertThat(slot).isEqualTo(Instant.parse(year + expected + ":00Z"));
        }
    }

    @Test
    void periodsIgnoreClocks() {
        Timing timing = Timing.every(Duration.ofHours(6));
        Instant slot = Instant.parse("2025-03-29T18:00:00.007Z");
        for (int i = 1; i < 10; i++) {
            Instant next = timing.next(ID, slot);
            assertThat(next).isEqualTo(slot.plus(6, ChronoUnit.HOURS));
            Instant late = next.plusMillis(20_001 + i);
            assertThat(timing.after(ID, next, late, late.plusMillis(3)))
                    .isEqualTo(new Advance(next.plus(6, ChronoUnit.HOURS), 0));
            slot = next;
        }
    }

    @Test
    void slotsAreInWholeMilliseconds() {
        Instant now = Instant.parse("2025-03-29T18:00:00.007123456Z");
        Timing every = Timing.every(Duration.ofSeconds(1));
        assertThat(every.first(ID, now)).isEqualTo("2025-03-29T18:00:01.007Z");
        assertThat(every.next(ID, now)).isEqualTo("2025-03-29T18:00:01.007Z");
        assertThat(every.after(ID, now, now, now).slot()).isEqualTo("2025-03-29T18:00:01.007Z");
        assertThat(Timing.cron("* * * * * *", ZURICH).first(ID, now)).isEqualTo("2025-03-29T18:00:01Z");
    }

    // A table that neither Timing nor CronExpression computed

    private interface LocalTime {

        boolean matches(int minute, int hour, DayOfWeek day);
    }

    private record Row(String expression, LocalTime time) {}

    private static final List<Row> ANY_HOUR = List.of(
            new Row("0 30 * * * *", (minute, hour, day) -> minute == 30),
            new Row("0 */15 * * * SUN", (minute, hour, day) -> minute % 15 == 0 && day == DayOfWeek.SUNDAY),
            new Row("0 7 */6 * * *", (minute, hour, day) -> minute == 7 && hour % 6 == 0),
            new Row("0 0 */24 * * *", (minute, hour, day) -> minute == 0 && hour == 0),
            new Row("0 59 * * * FRI", (minute, hour, day) -> minute == 59 && day == DayOfWeek.FRIDAY));

    private static final List<Row> FIXED_HOURS = List.of(
            new Row("0 30 2 * * *", (minute, hour, day) -> minute == 30 && hour == 2),
            new Row("0 0 0 * * MON", (minute, hour, day) -> minute == 0 && hour == 0 && day == DayOfWeek.MONDAY),
            new Row("0 */15 0-2 * * *", (minute, hour, day) -> minute % 15 == 0 && hour < 3),
            new Row("0 0 0 * * *", (minute, hour, day) -> minute == 0 && hour == 0),
            new Row("0 45 0/1 * * FRI", (minute, hour, day) -> minute == 45 && day == DayOfWeek.FRIDAY));

    private static final int FIRST_YEAR = 2024;
    private static final int END_YEAR = 2026;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Europe/Zurich",
                "America/New_York",
                "America/St_Johns",
                "America/Havana",
                "Africa/Cairo",
                "Africa/Casablanca",
                "Asia/Beirut",
                "Asia/Kathmandu",
                "Australia/Lord_Howe",
                "Antarctica/Troll"
            })
    void cronHasTheSlotsThatItsRuleNames(ZoneId zone) {
        Instant start = LocalDate.of(FIRST_YEAR, 1, 1).atStartOfDay(zone).toInstant();
        Instant end = LocalDate.of(END_YEAR, 1, 1).atStartOfDay(zone).toInstant();
        for (Row row : ANY_HOUR) {
            assertSlots(row.expression, zone, start, slotsByInstant(row.time, zone.getRules(), start, end));
        }
        for (Row row : FIXED_HOURS) {
            assertSlots(row.expression, zone, start, slotsByLocalTime(row.time, zone.getRules()));
        }
    }

    /** Visits each minute that passes. Offsets only change at quarters of an hour. */
    private static List<Instant> slotsByInstant(LocalTime time, ZoneRules rules, Instant start, Instant end) {
        List<Instant> slots = new ArrayList<>();
        for (Instant quarter = start; quarter.isBefore(end); quarter = quarter.plusSeconds(15 * 60)) {
            LocalDateTime local = LocalDateTime.ofInstant(quarter, rules.getOffset(quarter));
            DayOfWeek day = local.getDayOfWeek();
            for (int i = 0; i < 15; i++) {
                if (time.matches(local.getMinute() + i, local.getHour(), day)) {
                    slots.add(quarter.plusSeconds(i * 60L));
                }
            }
        }
        return slots;
    }

    /** Visits each minute that a calendar has. */
    private static List<Instant> slotsByLocalTime(LocalTime time, ZoneRules rules) {
        List<Instant> slots = new ArrayList<>();
        LocalDate end = LocalDate.of(END_YEAR, 1, 1);
        for (LocalDate date = LocalDate.of(FIRST_YEAR, 1, 1); date.isBefore(end); date = date.plusDays(1)) {
            DayOfWeek day = date.getDayOfWeek();
            for (int i = 0; i < 24 * 60; i++) {
                if (time.matches(i % 60, i / 60, day)) {
                    slots.add(instant(rules, date.atTime(i / 60, i % 60)));
                }
            }
        }
        return slots.stream().distinct().toList();
    }

    private static Instant instant(ZoneRules rules, LocalDateTime local) {
        List<ZoneOffset> offsets = rules.getValidOffsets(local);
        return offsets.isEmpty()
                ? rules.getTransition(local).getInstant()
                : offsets.stream().map(local::toInstant).min(Instant::compareTo).orElseThrow();
    }

    private static void assertSlots(String expression, ZoneId zone, Instant start, List<Instant> expected) {
        Timing timing = Timing.cron(expression, zone);
        assertThat(expected).hasSizeGreaterThan(100);
        Instant slot = start.minusMillis(1);
        for (Instant next : expected) {
            Instant computed = timing.next(ID, slot);
            if (!computed.equals(next)) {
                assertThat(computed)
                        .as("%s in %s after %s", expression, zone, slot)
                        .isEqualTo(next);
            }
            slot = next;
        }
    }

    // Properties

    private static final List<Timing> TIMINGS = List.of(
            Timing.every(Duration.ofSeconds(1)),
            Timing.every(Duration.ofMillis(900_007)),
            Timing.every(Duration.ofHours(5)).spread(Duration.ofHours(4)),
            Timing.cron("0 */15 * * * *", ZURICH),
            Timing.cron("0 */15 * * * *", ZURICH).spread(DAY),
            Timing.cron("0 */10 1-3 * * *", ZURICH).spread(Duration.ofMinutes(7)),
            Timing.cron("*/20 * 2 * * *", ZURICH),
            Timing.cron("0 0 0 * * *", ZoneId.of("Africa/Cairo")).spread(Duration.ofMillis(3)),
            Timing.cron("0 15,45 */2 * * *", ZoneId.of("Australia/Lord_Howe")).spread(Duration.ofHours(1)),
            Timing.cron("0 0 6 L-30 * MON-FRI", ZoneId.of("America/Havana")),
            Timing.cron("0 0 6 LW,L-29 * *", ZoneId.of("America/Havana")),
            Timing.cron("0 5 4 * * SAT#5", ZoneId.of("UTC+1")));

    private static Stream<Timing> timings() {
        return TIMINGS.stream();
    }

    /** Within three days of a change of clocks in Zurich. */
    private static Instant randomInstant(Random random) {
        Instant change = Instant.parse(random.nextBoolean() ? "2025-03-30T01:00:00Z" : "2025-10-26T01:00:00Z");
        long days = 3L * 24 * 60 * 60 * 1000;
        Instant instant = change.plusMillis(random.nextLong(-days, days));
        return random.nextBoolean() ? instant : instant.truncatedTo(ChronoUnit.MINUTES);
    }

    @ParameterizedTest
    @MethodSource("timings")
    void slotsIncrease(Timing timing) {
        Random random = new Random(1);
        for (int i = 0; i < 500; i++) {
            Instant instant = randomInstant(random);
            Instant slot = timing.next(ID, instant);
            assertThat(slot).isAfter(instant).isEqualTo(slot.truncatedTo(ChronoUnit.MILLIS));
            assertThat(timing.next(ID, slot)).isAfter(slot);
            assertThat(timing.first(ID, instant)).isAfter(instant);
        }
    }

    /** All slots are visited one by one. */
    @ParameterizedTest
    @MethodSource("timings")
    void theNextOccurrenceIsTheLatestSlotThatPassedSinceTheLastEnd(Timing timing) {
        Random random = new Random(2);
        for (int i = 0; i < 300; i++) {
            String id = "id-" + i;
            Instant slot = timing.first(id, randomInstant(random));
            Instant ended = later(random, timing, id, slot);
            Instant now = later(random, timing, id, ended);
            long skipped = 0;
            Instant expected = timing.next(id, slot);
            while (!expected.isAfter(ended)) {
                expected = timing.next(id, expected);
                skipped++;
            }
            for (Instant next = timing.next(id, expected); !next.isAfter(now); next = timing.next(id, next)) {
                expected = next;
                skipped++;
            }
            assertThat(timing.after(id, slot, ended, now))
                    .as("%s of %s after %s, ended %s, now %s", timing, id, slot, ended, now)
                    .isEqualTo(new Advance(expected, skipped));
        }
    }

    /** The same instant, a slot, or up to three hours later. */
    private static Instant later(Random random, Timing timing, String id, Instant instant) {
        return switch (random.nextInt(5)) {
            case 0 -> instant;
            case 1 -> {
                Instant slot = timing.next(id, instant);
                yield slot.isBefore(instant.plus(DAY)) ? slot : instant;
            }
            case 2 -> instant.plusMillis(random.nextInt(1_000));
            default -> instant.plusMillis(random.nextInt(3 * 60 * 60 * 1000));
        };
    }

    @ParameterizedTest
    @MethodSource("timings")
    void anOccurrenceThatEndsBeforeItsSlotSkipsNothing(Timing timing) {
        Random random = new Random(3);
        for (int i = 0; i < 50; i++) {
            Instant slot = timing.first(ID, randomInstant(random));
            Instant ended = slot.minusMillis(1 + random.nextInt(1_000_000));
            for (Instant now : List.of(ended, slot, slot.plus(DAY))) {
                assertThat(timing.after(ID, slot, ended, now)).isEqualTo(new Advance(timing.next(ID, slot), 0));
            }
        }
    }

    @Test
    void periodsAreNotCountedOneByOne() {
        Timing timing = Timing.every(Duration.ofSeconds(1)).spread(Duration.ofMillis(999));
        Instant slot = Instant.parse("2000-01-01T00:00:00.5Z");
        Instant ended = Instant.parse("9999-01-01T00:00:00Z");
        long seconds = Duration.between(slot, ended).toSeconds();
        assertThat(timing.after(ID, slot, ended, ended)).isEqualTo(new Advance(slot.plusSeconds(seconds + 1), seconds));
        assertThat(timing.after(ID, slot, ended, ended.plusSeconds(2)))
                .isEqualTo(new Advance(slot.plusSeconds(seconds + 2), seconds + 1));
    }

    /** The second expression has 3,600 slots from 02:00 and then none for a day. */
    @ParameterizedTest
    @CsvSource({
        "* * * * * *, 2025-12-31T12:00:00.5Z, 2025-12-31T13:00:00.5Z, 2025-12-31T13:00:00Z",
        "* * * * * *, 2025-12-31T12:00:00.5Z, 2025-12-31T12:00:00.5Z, 2025-12-31T12:00:01Z",
        "* * * * * *, 2025-12-31T12:00:00Z, 2025-12-31T12:00:01Z, 2025-12-31T12:00:01Z",
        "* * 2 * * *, 2025-10-25T12:00:00Z, 2025-10-26T12:00:00Z, 2025-10-26T00:59:59Z",
        "* * 2 * * *, 2025-10-25T12:00:00Z, 2025-10-26T00:00:00Z, 2025-10-26T00:00:00Z",
        "* * 2 * * *, 2025-10-25T12:00:00Z, 2025-10-25T12:00:00Z, 2025-10-26T00:00:00Z",
        "* * 2 * * *, 2025-10-25T12:00:00Z, 2025-12-26T01:30:00.5Z, 2025-12-26T01:30:00Z"
    })
    void aCronExpressionSkipsAnyNumberOfSlots(String expression, Instant ended, Instant now, Instant expected) {
        Instant slot = Instant.parse("2025-01-02T01:00:00Z");
        assertThat(Timing.cron(expression, ZURICH).after(ID, slot, ended, now))
                .isEqualTo(new Advance(expected, Timing.MAX_COUNTED));
    }

    @Test
    void skippedSlotsOfACronExpressionAreCountedUpToALimit() {
        Timing timing = Timing.cron("* * * * * *", ZURICH);
        Instant slot = Instant.parse("2025-01-02T01:00:00Z");
        for (int passed : new int[] {9_999, 10_000, 10_001}) {
            Instant ended = slot.plusSeconds(passed);
            assertThat(timing.after(ID, slot, ended, ended))
                    .isEqualTo(new Advance(ended.plusSeconds(1), Math.min(passed, Timing.MAX_COUNTED)));
        }
    }

    // Spread

    @Test
    void aSpreadMovesAllSlotsOfAnIdByItsOffset() {
        Instant now = Instant.parse("2025-06-01T10:00:00.1Z");
        Duration spread = Duration.ofMinutes(10);
        Timing every = Timing.every(Duration.ofMinutes(15)).spread(spread);
        Timing cron = Timing.cron("0 */15 * * * *", ZURICH).spread(spread);
        assertThat(every.offsetMillis(ID)).isEqualTo(cron.offsetMillis(ID)).isBetween(1_000L, 599_999L);
        Duration offset = Duration.ofMillis(every.offsetMillis(ID));
        Duration period = Duration.ofMinutes(15);

        assertThat(every.first(ID, now)).isEqualTo(now.plus(period).plus(offset));
        assertThat(every.next(ID, every.first(ID, now)))
                .isEqualTo(now.plus(period).plus(offset).plus(period));
        Instant ten = Instant.parse("2025-06-01T10:00:00Z");
        assertThat(cron.first(ID, now)).isEqualTo(ten.plus(offset));
        assertThat(cron.first(ID, ten.plus(offset))).isEqualTo(ten.plus(period).plus(offset));
        assertThat(cron.next(ID, ten.plus(offset))).isEqualTo(ten.plus(period).plus(offset));
    }

    @Test
    void aSpreadMayBeLongerThanTheTimeBetweenSlots() {
        Timing timing = Timing.cron("0 * * * * *", ZURICH).spread(DAY);
        Instant slot = timing.first(ID, Instant.parse("2025-06-01T10:00:00Z"));
        assertThat(slot).isBeforeOrEqualTo("2025-06-01T10:01:00Z");
        assertThat(timing.next(ID, slot)).isEqualTo(slot.plusSeconds(60));
    }

    @Test
    void withoutASpreadNothingMoves() {
        assertThat(Timing.every(DAY).offsetMillis(ID)).isZero();
        assertThat(Timing.every(DAY).spread(DAY.minusMillis(1)).spread(Duration.ZERO))
                .isEqualTo(Timing.every(DAY));
        assertThat(Timing.every(DAY).spread(Duration.ofMillis(1)).offsetMillis(ID))
                .isZero();
    }

    /** For implementations in other languages; these never change. */
    @ParameterizedTest
    @CsvSource({"test, 60000, 8307", "test, 86400000, 17228307", "'Hello, world!', 1000, 355"})
    void theOffsetOfAnIdNeverChanges(String id, long spread, long offset) {
        assertThat(Timing.cron("@daily", ZURICH)
                        .spread(Duration.ofMillis(spread))
                        .offsetMillis(id))
                .isEqualTo(offset);
    }

    @Test
    void offsetsSpreadEvenly() {
        Timing timing = Timing.every(DAY).spread(Duration.ofHours(1));
        int[] found = new int[100];
        IntStream.range(0, 10_000)
                .forEach(i -> found[(int) (timing.offsetMillis("customer:" + i) * 100 / 3_600_000)]++);
        assertThat(found).hasSize(100);
        assertThat(IntStream.of(found)).allMatch(count -> count > 50 && count < 150);
    }

    // Text

    @ParameterizedTest
    @MethodSource("timings")
    void aTimingIsParsedFromItsText(Timing timing) {
        assertThat(Timing.parse(timing.text())).isEqualTo(timing).hasSameHashCodeAs(timing);
        assertThat(timing).hasToString(timing.text());
        assertThat(timing.text()).doesNotContain("\n");
        assertThat(TIMINGS.stream().filter(timing::equals)).hasSize(1);
    }

    @Test
    void equalDefinitionsHaveEqualTexts() {
        assertThat(Timing.every(Duration.ofMinutes(15)).text()).isEqualTo("every 900000 0");
        assertThat(Timing.every(Duration.ofSeconds(900))
                        .spread(Duration.ofMillis(1))
                        .text())
                .isEqualTo("every 900000 1");
        assertThat(Timing.cron("  0 0\t2  * *\r\nmon-fri ", ZURICH)
                        .spread(Duration.ofSeconds(2))
                        .text())
                .isEqualTo("cron 2000 Europe/Zurich 0 0 2 * * MON-FRI");
        assertThat(Timing.cron("@Daily", ZURICH)).isEqualTo(Timing.cron("0 0 0 * * *", ZURICH));
        assertThat(Timing.cron("@daily", ZURICH)).isNotEqualTo(Timing.cron("@daily", ZoneOffset.UTC));
        assertThat(Timing.cron("0 0 0/1 * * *", ZURICH)).isNotEqualTo(Timing.cron("0 0 * * * *", ZURICH));
    }

    // Rejections

    private static void assertRejected(ThrowingCallable call, String message) {
        assertThatExceptionOfType(InvalidOptionException.class).isThrownBy(call).withMessage(message);
    }

    @Test
    void invalidPeriodsAreRejected() {
        assertThat(Timing.every(Duration.ofHours(87_660)).text()).isEqualTo("every 315576000000 0");
        assertThat(Timing.every(Duration.ofSeconds(1)).text()).isEqualTo("every 1000 0");
        assertRejected(() -> Timing.every(Duration.ofMillis(999)), PERIOD_RANGE + "999 ms");
        assertRejected(
                () -> Timing.every(Duration.ofHours(87_660).plusMillis(1)), PERIOD_RANGE + "3,652 days 12 h 1 ms");
        assertRejected(
                () -> Timing.every(Duration.ofSeconds(Long.MIN_VALUE)), PERIOD_RANGE + "PT-2562047788015215H-30M-8S");
        assertRejected(
                () -> Timing.every(Duration.ofSeconds(2, 1)), "period must be in whole milliseconds, but was 2 s 1 ns");
    }

    @Test
    void invalidSpreadsAreRejected() {
        Timing every = Timing.every(Duration.ofMinutes(15));
        Timing cron = Timing.cron("@daily", ZURICH);
        assertThat(cron.spread(DAY).text()).isEqualTo("cron 86400000 Europe/Zurich 0 0 0 * * *");
        assertRejected(() -> cron.spread(DAY.plusMillis(1)), SPREAD_RANGE + "1 day 1 ms");
        assertRejected(() -> cron.spread(Duration.ofMillis(-1)), SPREAD_RANGE + "-1 ms");
        assertRejected(() -> cron.spread(Duration.ofNanos(1)), "spread must be in whole milliseconds, but was 1 ns");
        assertRejected(
                () -> every.spread(Duration.ofMinutes(15)),
                "spread must be from 0 s to less than the period of 15 min, but was 15 min");
    }

    @ParameterizedTest
    @CsvSource({
        "0 0 25 * * *, Invalid value for HourOfDay (valid values 0 - 23): 25 '25'",
        "0 0 2 * *, 'Cron expression must consist of 6 fields (found 5 in \"0 0 2 * *\")'",
        "'', Expression must not be empty",
        "@nightly, 'Cron expression must consist of 6 fields (found 1 in \"@NIGHTLY\")'"
    })
    void invalidCronExpressionsAreRejected(String expression, String reason) {
        assertRejected(
                () -> Timing.cron(expression, ZURICH),
                "cron must be a cron expression such as 0 30 2 * * MON-FRI or a macro such as @daily, but was "
                        + expression + " (" + reason + ")");
    }

    /** In Cairo the clock skips the midnight before each last Friday of April. */
    @ParameterizedTest
    @CsvSource({"0 0 0 30 2 *, UTC", "0 0 0 1W * SAT, UTC", "0 0 */24 * 4 FRIL, Africa/Cairo"})
    void cronExpressionsThatNeverMatchAreRejected(String expression, ZoneId zone) {
        assertRejected(
                () -> Timing.cron(expression, zone),
                "cron must match again and again, but " + expression + " has no slot in zone " + zone);
    }

    @Test
    void longCronExpressionsAreRejected() {
        String longest = "0" + ",0".repeat(494) + " 0 2 * * *";
        assertThat(Timing.cron(longest + " ", ZURICH).text()).hasSize(longest.length() + 21);
        assertThatExceptionOfType(InvalidOptionException.class)
                .isThrownBy(() -> Timing.cron(longest + "  ", ZURICH))
                .withMessageStartingWith("cron must have at most 1000 characters, but has 1001: 0,0,0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "every",
                "every 1000",
                "every -1000 0",
                "every 1000 0 ",
                "every 9999999999999999 0",
                "Every 1000 0",
                "cron 0 UTC",
                "cron 0 0 0 0 * * *\n",
                "daily"
            })
    void otherTextsAreRejected(String text) {
        assertRejected(
                () -> Timing.parse(text),
                "timing must be 'every <period in ms> <spread in ms>' or 'cron <spread in ms> <zone> <expression>', "
                        + "but was " + Printable.of(text));
    }

    @Test
    void textsWithInvalidValuesAreRejected() {
        assertRejected(() -> Timing.parse("every 10 0"), PERIOD_RANGE + "10 ms");
        assertRejected(() -> Timing.parse("every 1000 86400001"), SPREAD_RANGE + "1 day 1 ms");
        assertRejected(
                () -> Timing.parse("cron 0 Europe/Bern 0 0 0 * * *"),
                "zone must be a time zone such as Europe/Zurich, but was Europe/Bern");
    }
}
