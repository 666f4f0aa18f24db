package io.delayqueue.jdbc.once;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.annotation.InvalidListenerException;
import io.delayqueue.annotation.OnceHandling.OnceMethod;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.event.EventBus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** When old rows are removed. */
class HandledRetentionTests {

    private static final Duration RETENTION = Duration.ofDays(7);
    private static final Duration INTERVAL = Duration.ofMinutes(10);
    private static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");

    private final Scheduler scheduler = new Scheduler();
    private OnceDatabase database;
    private OnceListeners listeners;
    private HandledRetention retention;

    /** Records when the task is to run. */
    private static final class Scheduler implements PeriodicTaskScheduler, PeriodicTaskScheduler.TaskHandle {

        final List<Duration> wakes = new ArrayList<>();

        @Nullable
        PeriodicTask task;

        boolean cancelled;

        @Override
        public TaskHandle schedule(String name, PeriodicTask scheduled) {
            task = scheduled;
            return this;
        }

        Duration run() throws Exception {
            assertThat(task).isNotNull();
            return task.run();
        }

        @Override
        public void wake() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void wakeWithin(Duration time) {
            wakes.add(time);
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    @BeforeEach
    void create() {
        database = OnceDatabase.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "h2");
        DataSource dataSource = database.jdbc().getDataSource();
        listeners = new OnceListeners(
                () -> dataSource,
                () -> new JdbcTransactionManager(dataSource),
                new DefaultListableBeanFactory(),
                new EventBus(List.of()),
                () -> NOW,
                "delayqueue_handled",
                RETENTION);
        retention = new HandledRetention(
                listeners, scheduler, Runnable::run, () -> NOW, new Random(1), RETENTION, INTERVAL);
    }

    private void addListener() throws Exception {
        OnceMethod method = new OnceMethod(
                "l",
                getClass(),
                getClass().getDeclaredMethod("create"),
                (problem, fix) -> new InvalidListenerException("bean", "", problem, fix));
        assertThat(listeners.once(method, deliveries -> null)).isNotNull();
    }

    private void insertRows(int count, Duration age) {
        database.jdbc()
                .batchUpdate(
                        "insert into delayqueue_handled (message_key, listener, topic, message_id, send_id, handled_at)"
                                + " values (?, 'l', 't', 'm', '-', ?)",
                        IntStream.range(0, count)
                                .mapToObj(i -> new Object[] {
                                    age + "-" + i, NOW.minus(age).toEpochMilli()
                                })
                                .toList());
    }

    private static void assertIsAnInterval(Duration time) {
        assertThat(time)
                .isBetween(INTERVAL.dividedBy(2), INTERVAL.multipliedBy(3).dividedBy(2));
    }

    @Test
    void nothingRunsWithoutAListener() {
        retention.start(new DelayListenerRegistry(true));

        assertThat(scheduler.task).isNull();
        retention.stop();
    }

    @Test
    void aBacklogIsRemovedAtOnceInSmallDeletes() throws Exception {
        addListener();
        insertRows(2500, RETENTION.plusMillis(1));
        insertRows(1, RETENTION);
        retention.start(new DelayListenerRegistry(true));

        assertIsAnInterval(scheduler.run());
        assertThat(database.handled()).isEqualTo(2501);

        for (int left : new int[] {1501, 501, 1}) {
            assertThat(scheduler.run()).isEqualTo(PeriodicTask.UNTIL_WOKEN);
            assertThat(database.handled()).isEqualTo(left);
        }
        assertThat(scheduler.wakes.subList(0, 2)).containsOnly(Duration.ZERO);
        assertIsAnInterval(scheduler.wakes.get(2));
    }

    @Test
    void aFailureIsFollowedByAnotherTry() throws Exception {
        addListener();
        insertRows(1, RETENTION.plusMillis(1));
        retention.start(new DelayListenerRegistry(true));
        assertIsAnInterval(scheduler.run());
        database.jdbc().execute("alter table delayqueue_handled rename to elsewhere");

        assertThat(scheduler.run()).isEqualTo(PeriodicTask.UNTIL_WOKEN);

        assertIsAnInterval(scheduler.wakes.get(0));
        database.jdbc().execute("alter table elsewhere rename to delayqueue_handled");
        assertThat(scheduler.run()).isEqualTo(PeriodicTask.UNTIL_WOKEN);
        assertThat(database.handled()).isZero();
    }

    @Test
    void nothingFollowsAStop() throws Exception {
        addListener();
        insertRows(2500, RETENTION.plusMillis(1));
        retention.start(new DelayListenerRegistry(true));
        assertIsAnInterval(scheduler.run());
        retention.stop();

        assertThat(scheduler.cancelled).isTrue();
        assertThat(scheduler.run()).isEqualTo(PeriodicTask.UNTIL_WOKEN); // a run in progress
        assertThat(scheduler.wakes).isEmpty();
    }
}
