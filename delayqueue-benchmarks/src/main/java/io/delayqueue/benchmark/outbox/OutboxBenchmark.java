package io.delayqueue.benchmark.outbox;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.database.PostgresServer;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Commits orders with a message each, without the outbox and with it, in alternation, on PostgreSQL (Debian's package) and a
 * real Redis. Prints commits per second and the memory of Redis per message. Options: {@code rounds} (5) and {@code orders} (2000) as arguments.
 */
public final class OutboxBenchmark {

    private static final Duration DELAY = Duration.ofMinutes(30);
    private static final int[] THREADS = {1, 8};
    private static final String ROWS = "select count(*) from delayqueue_outbox";

    private final int rounds;
    private final int orders;
    private final PrintStream out;

    private OutboxBenchmark(int rounds, int orders, PrintStream out) {
        this.rounds = rounds;
        this.orders = orders;
        this.out = out;
    }

    /** What is committed. */
    private enum Mode {
        /** The order only. */
        NO_MESSAGE,
        /** A message without the outbox. */
        NO_OUTBOX,
        /** A message with a generated id. */
        GENERATED_ID,
        /** A message with a given id. */
        GIVEN_ID
    }

    /** The application. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    /** Runs the benchmark. */
    public static void main(String[] arguments) throws Exception {
        if (!PostgresServer.isInstalled()) {
            System.out.println("There is no PostgreSQL (Debian: apt-get install postgresql)");
            return;
        }
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
        int orders = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 2_000;
        try (PostgresServer database = new PostgresServer();
                RedisServerProcess redis = RedisServerProcess.start()) {
            database.start();
            database.reset();
            new OutboxBenchmark(rounds, orders, System.out).run(database, redis);
        }
    }

    private void run(PostgresServer database, RedisServerProcess redis) throws Exception {
        try (ConfigurableApplicationContext without = start(database, redis, false);
                ConfigurableApplicationContext with = start(database, redis, true)) {
            for (int threads : THREADS) {
                Map<Mode, List<Double>> rates = new EnumMap<>(Mode.class);
                for (int round = 0; round <= rounds; round++) {
                    for (Mode mode : Mode.values()) {
                        ConfigurableApplicationContext application =
                                mode == Mode.GENERATED_ID || mode == Mode.GIVEN_ID ? with : without;
                        double rate = measure(application, redis, mode, threads, round > 0);
                        if (round > 0) { // the first one warms up
                            rates.computeIfAbsent(mode, absent -> new ArrayList<>())
                                    .add(rate);
                        }
                    }
                }
                rates.forEach((mode, all) -> out.printf(
                        Locale.ROOT,
                        "%d threads, %-12s median %,.0f commits/s of %s%n",
                        threads,
                        mode,
                        median(all),
                        Arrays.toString(all.stream().mapToLong(Math::round).toArray())));
            }
            JdbcTemplate jdbc = new JdbcTemplate(with.getBean(DataSource.class));
            out.println("rows immediately after the last commit: " + number(jdbc, ROWS));
            long start = System.nanoTime();
            while (number(jdbc, ROWS) > 0) {
                Thread.onSpinWait();
            }
            out.printf(Locale.ROOT, "the table is empty after another %.2f s%n", (System.nanoTime() - start) / 1e9);
        }
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static ConfigurableApplicationContext start(
            PostgresServer database, RedisServerProcess redis, boolean outbox) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=" + database.url(),
                        "spring.datasource.username=" + database.user(),
                        "spring.datasource.hikari.maximum-pool-size=12",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + redis.port(),
                        "delayqueue.outbox.enabled=" + outbox,
                        "delayqueue-test.redis=none")
                .run();
    }

    private double measure(
            ConfigurableApplicationContext application, RedisServerProcess redis, Mode mode, int threads, boolean tells)
            throws Exception {
        DelayQueueTemplate queue = application.getBean(DelayQueueTemplate.class);
        JdbcTemplate jdbc = new JdbcTemplate(application.getBean(HikariDataSource.class));
        TransactionTemplate transaction =
                new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        redis.flush();
        long memory = usedMemory(redis);
        AtomicInteger next = new AtomicInteger();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        List<Future<?>> ends = new ArrayList<>();
        long start = System.nanoTime();
        for (int thread = 0; thread < threads; thread++) {
            ends.add(executor.submit(() -> {
                while (next.getAndIncrement() < orders) {
                    String id = UUID.randomUUID().toString();
                    transaction.executeWithoutResult(status -> {
                        jdbc.update("insert into orders (id) values (?)", id);
                        if (mode != Mode.NO_MESSAGE) {
                            DelayMessage.Builder message =
                                    DelayMessage.to("orders").payload(id).delay(DELAY);
                            queue.sendAfterCommit((mode == Mode.GENERATED_ID ? message : message.id(id)).build());
                        }
                    });
                }
            }));
        }
        for (Future<?> end : ends) {
            end.get();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        executor.shutdown();
        if (tells) {
            out.printf(
                    Locale.ROOT,
                    "%d threads, %-12s %,.0f commits/s, %,d bytes of Redis per order%n",
                    threads,
                    mode,
                    orders / seconds,
                    (usedMemory(redis) - memory) / orders);
        }
        return orders / seconds;
    }

    private static long number(JdbcTemplate jdbc, String query) {
        return Objects.requireNonNull(jdbc.queryForObject(query, Long.class));
    }

    private static long usedMemory(RedisServerProcess redis) {
        return Long.parseLong(redis.info("memory").get("used_memory"));
    }
}
