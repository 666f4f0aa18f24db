package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Schedule;
import io.delayqueue.store.script.Recurrences;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.RedisTest;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Processes declare the schedules of their listeners, also different ones at the same time. */
@ExtendWith(OutputCaptureExtension.class)
class DeclaredSchedulesTests extends RedisTest {

    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final String AT_SEVEN = "cron 0 UTC 0 0 7 * * *";
    private static final String AT_NINE = "cron 0 UTC 0 0 9 * * *";

    private DelayQueueSchedules schedules;
    private DeclaredSchedules seven;
    private DeclaredSchedules nine;

    @BeforeEach
    void assemble() {
        schedules = queue.schedules();
        seven = declaring("0 0 7 * * *");
        nine = declaring("0 0 9 * * *");
    }

    private DeclaredSchedules declaring(String... expressions) {
        List<Schedule> own = List.of(expressions).stream()
                .map(expression ->
                        Schedule.of("report", "daily").cron(expression, UTC).payload(new byte[0]))
                .toList();
        return new DeclaredSchedules(queue.scripts, queue.keySpace, schedules, () -> own, Runnable::run);
    }

    private String stored() {
        return schedules.find("report", "daily").map(Schedule.Snapshot::timing).orElse("");
    }

    private boolean isPaused() {
        return schedules.find("report", "daily").orElseThrow().paused();
    }

    @Test
    void theProcessThatStartedLastWinsAndTheOtherSaysSoOnce(CapturedOutput output) {
        seven.run(true);
        assertThat(stored()).isEqualTo(AT_SEVEN);
        nine.run(true);
        assertThat(stored()).isEqualTo(AT_NINE);
        seven.run(true);
        nine.run(true);
        seven.run(true);
        assertThat(stored()).isEqualTo(AT_NINE);
        assertThat(output.getAll().split("Another process declares", -1)).hasSize(2);
        assertThat(output)
                .contains("Another process declares the schedule of listener daily as " + AT_NINE + ", this process as "
                        + AT_SEVEN + ". That of the process that started last takes effect.");
    }

    @Test
    void aRemainingProcessTakesOverWhenTheOthersHaveEnded() {
        seven.run(true);
        nine.run(true);
        queue.clock.advance(DeclaredSchedules.INTERVAL);
        seven.run(true);
        assertThat(stored()).isEqualTo(AT_NINE);
        queue.clock.advance(DeclaredSchedules.LAPSE);
        seven.run(true);
        assertThat(stored()).isEqualTo(AT_SEVEN);
        queue.clock.advance(DeclaredSchedules.INTERVAL);
        nine.run(true);
        assertThat(stored()).isEqualTo(AT_SEVEN);
    }

    @Test
    void whatWasRemovedOrChangedByHandIsStoredAgain() {
        seven.run(true);
        schedules.remove("report", "daily");
        seven.run(true);
        assertThat(stored()).isEqualTo(AT_SEVEN);
        schedules.put(Schedule.of("report", "daily").every(Duration.ofHours(1)).payload(new byte[0]));
        seven.run(true);
        assertThat(stored()).isEqualTo(AT_SEVEN);
    }

    @Test
    void aPauseByHandRemains() {
        seven.run(true);
        schedules.pause("report", "daily");
        seven.run(true);
        declaring("0 0 7 * * *").run(true);
        assertThat(isPaused()).isTrue();
    }

    @Test
    void aPauseByHandRemainsAlsoAfterALongStop() {
        seven.run(true);
        schedules.pause("report", "daily");
        queue.clock.advance(DeclaredSchedules.PAUSE_AFTER);
        declaring().run(true);
        declaring("0 0 7 * * *").run(true);
        seven.run(true);
        assertThat(isPaused()).isTrue();
    }

    @Test
    void orphanThatIsResumedByHandIsLeftAsItIs() {
        seven.run(true);
        queue.clock.advance(DeclaredSchedules.PAUSE_AFTER);
        declaring().run(true);
        schedules.resume("report", "daily");
        queue.clock.advance(DeclaredSchedules.PAUSE_AFTER);
        declaring().run(true);
        assertThat(isPaused()).isFalse();
    }

    @Test
    void fullMemoryDoesNotEndDeclarations(CapturedOutput output) {
        seven.run(true);
        schedules.remove("report", "daily");
        queue.clock.advance(DeclaredSchedules.LAPSE);
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            seven.run(true);
            seven.run(true);
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(seven.orphans()).isEmpty();
        assertThat(output.getAll().split("The schedule of listener daily is not stored", -1))
                .hasSize(2);
        seven.run(true);
        assertThat(stored()).isEqualTo(AT_SEVEN);
    }

    @Test
    void processWhosePutFailsStartsOnlyOnce() {
        nine.run(true);
        queue.faults.refuse("recur");
        seven.run(true);
        queue.faults.pass();
        nine.run(true);
        seven.run(true);
        assertThat(seven.orphans()).isEmpty();
        assertThat(stored()).as("seven started last").isEqualTo(AT_SEVEN);
    }

    @Test
    void orphansAreUnknownWithoutRedis() {
        seven.run(true);
        queue.clock.advance(DeclaredSchedules.LAPSE);
        queue.faults.refuse("lapsed");
        assertThat(seven.orphans()).isEmpty();
    }

    @Test
    void orphanIsListedThenPausedAndResumedWhenItIsDeclaredAgain(CapturedOutput output) {
        seven.run(true);
        assertThat(seven.orphans()).isEmpty();
        queue.clock.advance(DeclaredSchedules.LAPSE);
        assertThat(seven.orphans()).singleElement().satisfies(orphan -> {
            assertThat(orphan.topic()).isEqualTo("report");
            assertThat(orphan.id()).isEqualTo("daily");
        });
        declaring().run(true);
        assertThat(isPaused()).isFalse();

        queue.clock.advance(DeclaredSchedules.PAUSE_AFTER);
        declaring().run(true);
        assertThat(isPaused()).isTrue();
        assertThat(output)
                .contains("Schedule daily in topic report is paused, since no listener has declared it since");
        assertThat(seven.orphans()).hasSize(1);

        seven.run(true);
        assertThat(isPaused()).isFalse();
        assertThat(seven.orphans()).isEmpty();
    }

    @Test
    void orphanThatIsDeclaredWhileItIsPausedIsNotPaused() {
        seven.run(true);
        queue.clock.advance(DeclaredSchedules.PAUSE_AFTER);
        DelayQueueSchedules slow =
                new DelayQueueSchedules(
                        queue.template(),
                        queue.topics,
                        new Recurrences(queue.scripts, queue.keySpace, queue.topics),
                        InstantSource.system()) {
                    @Override
                    public boolean pause(String topic, String id) {
                        seven.run(true);
                        return super.pause(topic, id);
                    }
                };
        new DeclaredSchedules(queue.scripts, queue.keySpace, slow, List::of, Runnable::run).run(true);
        assertThat(isPaused()).isFalse();
    }

    @Test
    void entryOfARemovedScheduleEnds() {
        seven.run(true);
        schedules.remove("report", "daily");
        queue.clock.advance(DeclaredSchedules.PAUSE_AFTER);
        declaring().run(true);
        assertThat(seven.orphans()).isEmpty();
        assertThat(server.command("EXISTS", "dq:{nodes}:declarations")).isEqualTo(0L);
    }

    @Test
    void aScheduleThatCannotBeStoredIsToldOnceAndOthersAreStored(CapturedOutput output) {
        queue.template()
                .send(DelayMessage.to("report")
                        .id("daily")
                        .payload("p")
                        .delay(Duration.ofDays(1))
                        .build());
        Schedule other = Schedule.of("report", "weekly").cron("@weekly", UTC).payload(new byte[0]);
        DeclaredSchedules both = new DeclaredSchedules(
                queue.scripts,
                queue.keySpace,
                schedules,
                () -> List.of(Schedule.of("report", "daily").cron("@daily", UTC).payload(new byte[0]), other),
                Runnable::run);
        both.run(true);
        both.run(true);
        assertThat(schedules.find("report", "weekly")).isPresent();
        assertThat(output.getAll().split("The schedule of listener daily is not stored", -1))
                .hasSize(2);
    }
}
