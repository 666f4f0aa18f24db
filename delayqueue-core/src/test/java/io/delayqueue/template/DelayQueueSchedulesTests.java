package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What schedules show of their next occurrences, and occurrences by hand. */
class DelayQueueSchedulesTests extends RedisTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private DelayQueueTemplate template;
    private DelayQueueSchedules schedules;

    @BeforeEach
    void assemble() {
        template = queue.template();
        schedules = queue.schedules();
    }

    private Schedule.Snapshot schedule() {
        return schedules.find("sync", "a").orElseThrow();
    }

    private static Schedule hourly(String payload) {
        return Schedule.of("sync", "a").every(HOUR).payload(payload);
    }

    @Test
    void nextTimesBeginWithTheWaitingOccurrence() {
        Instant first = schedules.put(hourly("p")).next();
        assertThat(schedule().next(3)).containsExactly(first, first.plus(HOUR), first.plus(HOUR.multipliedBy(2)));

        Instant moved = first.minus(Duration.ofMinutes(30));
        template.reschedule("sync", "a", moved);
        assertThat(schedule().next(2)).containsExactly(moved, first.plus(HOUR));
    }

    @Test
    void nextTimesAreThoseAfterTheOccurrenceThatIsHandledOrLate() {
        Instant first = schedules.put(hourly("p")).next();
        queue.clock.advance(HOUR.multipliedBy(3).plusMinutes(1));
        assertThat(schedule().next(2)).containsExactly(first, first.plus(HOUR.multipliedBy(3)));
        queue.claim("sync");
        assertThat(schedule().next(2))
                .containsExactly(first.plus(HOUR.multipliedBy(3)), first.plus(HOUR.multipliedBy(4)));
    }

    @Test
    void nextTimesFollowAnOccurrenceThatIsRescheduledLater() {
        Instant first = schedules.put(hourly("p")).next();
        Instant moved = first.plus(Duration.ofMinutes(150));
        template.reschedule("sync", "a", moved);
        assertThat(schedule().next(3))
                .containsExactly(moved, first.plus(HOUR.multipliedBy(3)), first.plus(HOUR.multipliedBy(4)));
    }

    @Test
    void nextTimesBeginWithTheSlotOfATimingThatWasPutWhileOneIsHandled() {
        schedules.put(hourly("p"));
        queue.clock.advance(HOUR);
        queue.claim("sync");
        Duration period = Duration.ofMinutes(7);
        Instant next = schedules
                .put(Schedule.of("sync", "a").every(period).payload("p"))
                .next();
        assertThat(schedule().next(2)).containsExactly(next, next.plus(period));
    }

    @Test
    void messageOfANewerFormatIsNotRun() {
        schedules.put(hourly("p"));
        String key = "dq:{sync:0.0}:messages";
        server.command("HSET", key, "a", "2 something that only a newer version reads");
        assertThatThrownBy(() -> schedules.run("sync", "a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Schedule a in topic sync has a format that this version cannot read. It was not run");
    }

    @Test
    void pausedScheduleHasNoNextTimesButItsMessage() {
        schedules.put(hourly("p"));
        schedules.pause("sync", "a");
        assertThat(schedule().next(2)).isEmpty();
        assertThat(schedule().message().payload()).isEqualTo("p".getBytes());
    }

    @Test
    void timingOfANewerVersionHasTheStoredOccurrenceOnly() {
        Instant first = schedules.put(hourly("p")).next();
        String key = "dq:{sync:0.0}:recurrences";
        String recurrence = String.valueOf(server.command("HGET", key, "a"));
        server.command("HSET", key, "a", recurrence.replace("every 3600000 0", "lunar 1"));
        assertThat(schedule().next(3)).containsExactly(first);
        queue.clock.advance(HOUR);
        queue.deadLetterAll("sync", i -> "REQUESTED");
        assertThat(schedules.overdue("sync")).isEmpty();
    }

    @Test
    void cronHasNextTimesInItsZone() {
        schedules.put(Schedule.of("sync", "a")
                .cron("0 0 9 * * *", ZoneId.of("Europe/Paris"))
                .payload("p"));
        assertThat(schedule().next(5))
                .hasSize(5)
                .isSorted()
                .allSatisfy(time -> assertThat(
                                time.atZone(ZoneId.of("Europe/Paris")).getHour())
                        .isEqualTo(9));
    }

    @Test
    void messageIsTheOneThatWasPutLast() {
        schedules.put(hourly("old"));
        queue.clock.advance(HOUR);
        queue.claim("sync");
        schedules.put(hourly("new"));
        assertThat(schedule().message().payload()).isEqualTo("new".getBytes());
        assertThat(schedule().occurrence())
                .extracting(occurrence -> new String(occurrence.envelope().payload()))
                .isEqualTo("old");
    }

    /** The order of Map.of differs between processes, and would make the same schedule another one. */
    @Test
    void headersOfAMapAreSorted() {
        Map<String, String> headers = Map.of("tags", "vip", "region", "eu", "tenant", "7", "locale", "fr", "by", "x");
        schedules.put(hourly("p").headers(headers));
        assertThat(schedule().message().headers().keySet()).containsExactly("by", "locale", "region", "tags", "tenant");
    }

    @Test
    void runSendsTheMessageOnceAndLeavesTheSchedule() {
        schedules.put(hourly("p")
                .header("tags", "vip")
                .maxAttempts(2)
                .lease(Duration.ofSeconds(7))
                .expireAfter(Duration.ofMinutes(5)));
        for (boolean paused : List.of(false, true)) {
            if (paused) {
                schedules.pause("sync", "a");
            }
            Schedule.Snapshot before = schedule();
            String id = schedules.run("sync", "a").orElseThrow();
            MessageSnapshot sent = template.find("sync", id).orElseThrow();
            assertThat(id).isNotEqualTo("a");
            assertThat(sent.state()).isEqualTo(MessageState.READY);
            assertThat(sent.envelope().slot()).isNull();
            assertThat(sent.envelope().headers()).containsEntry("tags", "vip");
            assertThat(sent.envelope().payload()).isEqualTo("p".getBytes());
            assertThat(sent.envelope().limits()).isEqualTo(before.message().limits());
            assertThat(schedule())
                    .usingRecursiveComparison()
                    .ignoringFields("at")
                    .isEqualTo(before);
        }
    }

    @Test
    void runWithoutScheduleSendsNothing() {
        assertThat(schedules.run("sync", "a")).isEmpty();
        template.send("sync", "p", HOUR);
        assertThat(schedules.run("sync", "a")).isEmpty();
        assertThat(server.command("HLEN", "dq:{sync:0.0}:messages")).isEqualTo(2L);
    }
}
