package io.delayqueue.jdbc.outbox;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.jdbc.QueueDatabase;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.DelayQueueTemplateBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A process of an application with an outbox. Its relay runs when a test calls it. */
final class OutboxNode implements AutoCloseable {

    static final Duration REMEMBERED = Duration.ofMinutes(10);
    static final int BATCH = 100;
    static final Duration QUERY_TIMEOUT = Duration.ofSeconds(1);

    private final HikariDataSource pool;
    final Faults faults;
    final ProxiedQueue queue;
    final JdbcTransactionManager manager;
    final TransactionTemplate transaction;
    final JdbcTemplate jdbc;
    final JdbcOutbox outbox;
    final DelayQueueTemplate template;
    final OutboxRelay relay;
    /** The clock of the relay. */
    final AtomicLong nanoTime = new AtomicLong();

    OutboxNode(
            TestDatabase database,
            RedisServerProcess redis,
            Duration commandTimeout,
            UnaryOperator<DelayQueueTemplateBuilder> configuration) {
        pool = database.open();
        faults = new Faults(pool);
        queue = new ProxiedQueue(redis, commandTimeout);
        manager = new JdbcTransactionManager(faults);
        transaction = new TransactionTemplate(manager);
        jdbc = new JdbcTemplate(faults);
        outbox = new JdbcOutbox(
                faults,
                "delayqueue_outbox",
                new QueueDatabase(database.unpooled())::dialect,
                REMEMBERED,
                QUERY_TIMEOUT);
        template = configuration
                .apply(queue.templateBuilder().commandTimeout(commandTimeout).outbox(() -> outbox))
                .build();
        relay = new OutboxRelay(
                outbox,
                template::relay,
                queue.events,
                new OnDemand(),
                Runnable::run,
                new OutboxRelay.Settings(Duration.ZERO, BATCH, Duration.ofHours(1)),
                nanoTime::get);
        relay.start();
    }

    /** Runs tasks never. */
    private static final class OnDemand implements PeriodicTaskScheduler {

        @Override
        public TaskHandle schedule(String name, PeriodicTask task) {
            return new TaskHandle() {
                @Override
                public void wake() {}

                @Override
                public void wakeWithin(Duration time) {}

                @Override
                public void cancel() {}
            };
        }
    }

    /** Commits an order and its message. */
    void place(DelayMessage message) {
        transaction.executeWithoutResult(status -> insertAndSend(message));
    }

    String insertAndSend(DelayMessage message) {
        String order = String.valueOf(message.payload());
        jdbc.update("insert into orders (id) values (?)", order);
        return template.sendAfterCommit(message);
    }

    /** Commits a cancel. */
    void cancel(String id) {
        transaction.executeWithoutResult(status -> template.cancelAfterCommit(OutboxTest.TOPIC, id));
    }

    List<Long> rows() {
        return jdbc.queryForList("select seq from delayqueue_outbox order by seq", Long.class);
    }

    int stored() {
        return rows().size();
    }

    /** Runs the relay until nothing changes. */
    void drain() {
        int before;
        int now = stored();
        do {
            before = now;
            relay.run();
            now = stored();
        } while (now < before);
    }

    @Override
    public void close() {
        queue.close();
        pool.close();
    }
}
