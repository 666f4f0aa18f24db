package io.delayqueue.jdbc.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.annotation.InvalidListenerException;
import io.delayqueue.annotation.OnceHandling.OnceMethod;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.event.EventBus;
import io.delayqueue.jdbc.SqlDialect;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryHandler;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** When old rows are removed, through a pool whose connections do not commit by themselves. */
class HandledRetentionTests {

    private static final Duration RETENTION = Duration.ofDays(7);
    private static final Duration INTERVAL = Duration.ofMinutes(10);
    private static final Duration HOUR = Duration.ofHours(1);

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
        database = OnceDatabase.h2();
        DataSource dataSource = new DelegatingDataSource(database.jdbc().getDataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setAutoCommit(false);
                return connection;
            }
        };
        listeners = new OnceListeners(
                () -> dataSource,
                () -> new JdbcTransactionManager(dataSource),
                new DefaultListableBeanFactory(),
                new EventBus(List.of()),
                "delayqueue_handled",
                RETENTION);
        retention = new HandledRetention(listeners, scheduler, Runnable::run, new Random(1), RETENTION, INTERVAL);
    }

    private DeliveryHandler addListener() throws Exception {
        OnceMethod method = new OnceMethod(
                "l",
                getClass(),
                getClass().getDeclaredMethod("create"),
                (problem, fix) -> new InvalidListenerException("bean", "", problem, fix));
        return listeners.once(method, deliveries -> null);
    }

    private long databaseMillis() {
        return database.jdbc().queryForObject(SqlDialect.H2.queryOfNow(), Long.class);
    }

    private void insertRows(int count, Duration age) {
        database.insertRows(count, databaseMillis() - age.toMillis());
    }

    private static void assertIsAnInterval(Duration time) {
        assertThat(time)
                .isBetween(INTERVAL.dividedBy(2), INTERVAL.multipliedBy(3).dividedBy(2));
    }

    @Test
    void rowsHaveTheTimeOfTheDatabase() throws Exception {
        Delivery delivery = mock(Delivery.class);
        when(delivery.topic()).thenReturn("t");
        when(delivery.id()).thenReturn("m");
        when(delivery.sendId()).thenReturn("-");
        long before = databaseMillis();

        assertThat(addListener().handle(List.of(delivery))).isNull();

        assertThat(database.jdbc().queryForObject("select handled_at from delayqueue_handled", Long.class))
                .isBetween(before, databaseMillis());
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
        insertRows(2500, RETENTION.plus(HOUR));
        insertRows(1, RETENTION.minus(HOUR));
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
        insertRows(1, RETENTION.plus(HOUR));
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
        insertRows(2500, RETENTION.plus(HOUR));
        retention.start(new DelayListenerRegistry(true));
        assertIsAnInterval(scheduler.run());
        retention.stop();

        assertThat(scheduler.cancelled).isTrue();
        assertThat(scheduler.run()).isEqualTo(PeriodicTask.UNTIL_WOKEN); // a run in progress
        assertThat(scheduler.wakes).isEmpty();
    }
}
