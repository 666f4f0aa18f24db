package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.OverdueSchedules.Overdue;
import io.delayqueue.message.Schedule;
import io.delayqueue.redis.Await;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The search for overdue schedules. What is overdue is tested with the scripts. */
class OverdueSchedulesTests extends RedisTest {

    private DelayQueueSchedules schedules;
    private DelayQueueInspector inspector;
    private OverdueSchedules overdue;
    private long nanos;

    @Override
    protected ShardPlan plan() {
        return new ShardPlan(Map.of("sync", 3), ShardPlan.OnConflict.FAIL);
    }

    @BeforeEach
    void assemble() {
        schedules = queue.schedules();
        inspector = queue.inspector();
        overdue = new OverdueSchedules(schedules, Runnable::run, () -> nanos);
    }

    private void sample() {
        overdue.sampled(Await.result(inspector.snapshot()).topics());
    }

    @Test
    void eachMinuteTopicsWithSchedulesAreSearched() {
        for (int i = 0; i < 20; i++) {
            schedules.put(Schedule.of("sync", "shop-" + i)
                    .every(Duration.ofSeconds(1))
                    .payload("p"));
        }
        queue.template().send("plain", "p");
        sample();
        assertThat(overdue.of("sync")).isEqualTo(Overdue.NONE);

        queue.clock.advance(Duration.ofMinutes(1));
        queue.deadLetterAll("sync", i -> "REQUESTED");
        sample();
        assertThat(overdue.of("sync")).as("within a minute").isEqualTo(Overdue.NONE);

        nanos += OverdueSchedules.INTERVAL.toNanos();
        sample();
        assertThat(overdue.of("sync")).as("found once").isEqualTo(Overdue.NONE);

        nanos += OverdueSchedules.INTERVAL.toNanos();
        sample();
        assertThat(overdue.of("sync").count()).isEqualTo(20);
        assertThat(overdue.of("sync").first()).startsWith("shop-");
        assertThat(overdue.of("plain")).isEqualTo(Overdue.NONE);

        for (Schedule.Snapshot schedule : schedules.list("sync", null, 20).schedules()) {
            schedules.remove("sync", schedule.id());
        }
        nanos += OverdueSchedules.INTERVAL.toNanos();
        sample();
        assertThat(overdue.of("sync")).isEqualTo(Overdue.NONE);
    }

    @Test
    void resultOfATopicThatCannotBeSearchedIsDropped() {
        schedules.put(Schedule.of("sync", "a").every(Duration.ofSeconds(1)).payload("p"));
        queue.clock.advance(Duration.ofMinutes(2));
        queue.deadLetterAll("sync", i -> "REQUESTED");
        for (int search = 0; search < 2; search++) {
            sample();
            nanos += OverdueSchedules.INTERVAL.toNanos();
        }
        assertThat(overdue.of("sync").count()).isOne();
        queue.faults.refuse("recurrences");
        sample();
        assertThat(overdue.of("sync")).isEqualTo(Overdue.NONE);
    }

    @Test
    void topicsWithoutSchedulesCostNoCall() {
        queue.template().send("plain", "p");
        List<TopicStatus> topics = Await.result(inspector.snapshot()).topics();
        int calls = queue.calls();
        overdue.sampled(topics);
        assertThat(queue.calls()).isEqualTo(calls);
    }
}
