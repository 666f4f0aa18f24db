package io.delayqueue.jdbc.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.test.EffectLedger;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.DatabaseServer;
import io.delayqueue.testing.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Three JVMs place orders and cancel them, and book to accounts in order, while JVMs, Redis and the database are killed with
 * {@code SIGKILL}. To see a sequence of kills again, set the system property {@code delayqueue-test.seed}.
 */
@Tag("long")
@Tag("jdbc")
@Timeout(900)
abstract class OutboxKillContract {

    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final int ORDERS_OF_NODE = Integer.getInteger("delayqueue-test.orders", 15_000) / NAMES.size();
    private static final int ORDERS = ORDERS_OF_NODE * NAMES.size();
    private static final Duration OUTAGE = Duration.ofMinutes(1);
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private static final Pattern EXPECTED_KEYS = Pattern.compile(
            "dq:(topics|\\{nodes}:\\w+|\\{(order-cancel|booking):0\\.0}:(sent|sent\\.until|dead|deadLetters|"
                    + "parked|parked\\.due|heads|(notifications\\.)?(messages|schedule|leases|deliveries|meta)))");

    private enum Victim {
        JVM,
        REDIS,
        DATABASE
    }

    private final long seed = Long.getLong("delayqueue-test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Map<Victim, Integer> kills = new EnumMap<>(Victim.class);
    private final List<Node> nodes = new ArrayList<>();
    private final long begin = System.nanoTime();

    private DatabaseServer database;
    private HikariDataSource pool;
    private JdbcTemplate jdbc;
    private RedisServerProcess redis;

    /** A JVM and what it did. */
    private final class Node {

        private final Path directory;
        private final Path file;
        private final Journal journal;
        private ServerProcess process;

        Node(Path directory, String name) {
            this.directory = directory;
            file = directory.resolve(name);
            journal = new Journal(file);
            start();
        }

        void start() {
            process = ServerProcess.java(
                    directory,
                    OrderApplication.class,
                    Stream.of(
                                    "spring.main.banner-mode=off",
                                    "spring.main.web-application-type=none",
                                    "spring.main.keep-alive=true",
                                    // Hibernate does not start without its database
                                    "spring.autoconfigure.exclude="
                                            + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration,"
                                            + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                                    "spring.data.redis.port=" + redis.port(),
                                    "spring.datasource.url=" + database.url(),
                                    "spring.datasource.username=" + database.user(),
                                    "spring.datasource.hikari.connection-timeout=1000",
                                    "delayqueue.engine.heartbeat=500ms",
                                    "delayqueue.engine.heartbeat-timeout=2s",
                                    "delayqueue.listener.lease=2s",
                                    "delayqueue.listener.concurrency=4",
                                    "delayqueue.listener.backoff=fixed 200ms",
                                    "delayqueue.topics[" + OrderApplication.BOOKINGS + "].keys=ordered",
                                    "kill.journal=" + file,
                                    "kill.orders=" + ORDERS_OF_NODE,
                                    "kill.pause=100ms")
                            .map(property -> "--" + property)
                            .toList());
        }

        void kill() {
            process.kill();
            start();
        }
    }

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        System.out.println("Seed " + seed);
        database = Databases.of(getClass());
        database.reset();
        pool = database.open();
        jdbc = new JdbcTemplate(pool);
        jdbc.execute("create table if not exists cancellations (order_id varchar(64))");
        jdbc.update("delete from cancellations");
        jdbc.execute("create table if not exists accounts (id varchar(64) primary key, bookings int)");
        jdbc.update("delete from accounts");
        for (int account = 0; account < OrderApplication.ACCOUNTS; account++) {
            jdbc.update("insert into accounts (id, bookings) values (?, 0)", String.valueOf(account));
        }
        redis = RedisServerProcess.builder().appendOnly().start();
        for (String name : NAMES) {
            nodes.add(new Node(Files.createDirectory(directory.resolve("node-" + name)), name));
        }
        awaitProgress(100);
    }

    @AfterEach
    void stop() {
        nodes.forEach(node -> node.process.close());
        if (redis != null) {
            redis.close();
        }
        pool.close();
    }

    @Test
    void eachCommittedOrderIsCancelledOnceWhileProcessesAreKilled() {
        while (!isDone()) {
            killEach(2_500, Victim.JVM, Victim.REDIS, Victim.DATABASE);
        }
        verify();
    }

    @Test
    void eachCommittedOrderIsCancelledOnceWhileRedisIsDownForAMinute() {
        awaitProgress(ORDERS / 10);
        redis.kill();
        int before = orders(Journal.Entry.COMMITTED);
        long end = System.nanoTime() + OUTAGE.toNanos();
        int committed = 0;
        while (System.nanoTime() < end || committed < ORDERS / 10) {
            killEach(2_500, Victim.JVM, Victim.DATABASE);
            committed = orders(Journal.Entry.COMMITTED) - before;
        }
        assertThat(isDone())
                .as("all orders were placed before the end of the outage")
                .isFalse();
        System.out.println(committed + " orders were committed while Redis was down");
        redis.restart();
        while (!isDone()) {
            killEach(5_000, Victim.JVM, Victim.DATABASE);
        }
        verify();
    }

    /** Kills in a random order, each after at most so many more entries. */
    private void killEach(int entries, Victim... victims) {
        List<Victim> order = Arrays.asList(victims);
        Collections.shuffle(order, random);
        for (Victim victim : order) {
            awaitProgress(random.nextInt(entries / 10, entries));
            kill(victim);
        }
    }

    private void kill(Victim victim) {
        kills.merge(victim, 1, Integer::sum);
        switch (victim) {
            case JVM -> nodes.get(random.nextInt(nodes.size())).kill();
            case REDIS -> {
                redis.kill();
                awaitProgress(random.nextInt(300));
                redis.restart();
            }
            case DATABASE -> {
                database.kill();
                database.start();
            }
            default -> throw new IllegalStateException(victim.name());
        }
    }

    /** Waits until the nodes have recorded so many more entries, or have placed all orders. */
    private void awaitProgress(int entries) {
        int reached = recorded() + entries;
        awaitLong(() -> assertThat(isDone() || recorded() >= reached).isTrue());
    }

    private void awaitLong(ThrowingRunnable assertion) {
        await().atMost(LIMIT).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            for (Node node : nodes) {
                if (!node.process.isAlive()) {
                    throw new IllegalStateException("A node ended: " + node.process.output());
                }
            }
            assertion.run();
        });
    }

    private int recorded() {
        return nodes.stream().mapToInt(node -> node.journal.size()).sum();
    }

    private boolean isDone() {
        return nodes.stream().allMatch(node -> node.journal.isDone());
    }

    private int orders(Journal.Entry entry) {
        return nodes.stream()
                .mapToInt(node -> node.journal.orders(entry).size())
                .sum();
    }

    /** Each account has each of its bookings once, and in order, because no other one has an effect. */
    private void verifyBookings() {
        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.journal.orders(Journal.Entry.OUT_OF_ORDER))
                        .isEmpty());
        assertThat(jdbc.queryForList("select bookings from accounts", Integer.class))
                .hasSize(OrderApplication.ACCOUNTS)
                .containsOnly(OrderApplication.BOOKINGS_OF_ACCOUNT);
    }

    private void verify() {
        EffectLedger ledger = new EffectLedger();
        for (Node node : nodes) {
            node.journal.orders(Journal.Entry.COMMITTED).forEach(ledger::committed);
            node.journal.orders(Journal.Entry.ROLLED_BACK).forEach(ledger::rolledBack);
        }
        List<String> stored = jdbc.queryForList("select id from orders", String.class);
        ledger.settle(stored);
        awaitLong(() -> ledger.verify(cancellations()));
        awaitLong(this::verifyBookings);
        awaitLong(() -> {
            assertThat(jdbc.queryForObject("select count(*) from delayqueue_outbox", Long.class))
                    .isZero();
            assertThat(keys("*:messages").stream().mapToLong(this::size).sum())
                    .as("messages in Redis")
                    .isZero();
        });
        ledger.verify(cancellations());
        verifyBookings();
        System.out.printf(
                "%d orders, %d committed (%d without a reply), %d rolled back, %d handler calls, %d for bookings, kills %s, %d s%n",
                orders(Journal.Entry.BEGUN),
                stored.size(),
                stored.size() - orders(Journal.Entry.COMMITTED),
                orders(Journal.Entry.ROLLED_BACK),
                orders(Journal.Entry.HANDLED),
                orders(Journal.Entry.BOOKED),
                kills,
                Duration.ofNanos(System.nanoTime() - begin).toSeconds());
        verifyKeys();
    }

    private List<String> cancellations() {
        return jdbc.queryForList("select order_id from cancellations", String.class);
    }

    /** Only the keys that docs/internals.md lists exist, and those of messages are empty. */
    private void verifyKeys() {
        assertThat(keys("*")).allMatch(key -> EXPECTED_KEYS.matcher(key).matches());
        assertThat(keys("dq:{*:0.0}:*"))
                .filteredOn(key -> !key.endsWith("meta") && !key.contains(":sent"))
                .allSatisfy(key -> assertThat(size(key)).as(key).isZero());
    }

    /** The size of a hash or sorted set of a shard, without the member that keeps the key. */
    private long size(String key) {
        String command = "hash".equals(redis.command("TYPE", key)) ? "HLEN" : "ZCARD";
        return (Long) redis.command(command, key) - 1;
    }

    private List<String> keys(String pattern) {
        return ((List<?>) redis.command("KEYS", pattern))
                .stream().map(String::valueOf).toList();
    }
}
