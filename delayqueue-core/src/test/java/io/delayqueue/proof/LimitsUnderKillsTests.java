package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.template.receive.ReceiveRequest;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.RawRedis;
import io.delayqueue.testing.ShardLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Three consumer processes and a receiver share a topic that permits few messages at once, and processes are killed.
 * Messages are retried and dead-lettered, and dead letters are replayed. All processes use the same clock.
 */
@Tag("long")
@Tag("core")
class LimitsUnderKillsTests {

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration MAX_WAIT = Duration.ofSeconds(600);
    private static final int CONSUMERS = 3;
    private static final int KILLS = 12;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final RedisServerProcess redis = RedisServerProcess.start();
    private final QueueNode node = QueueNode.on(redis.port()).start();
    private final List<KillableConsumer> consumers = new ArrayList<>();
    /** Handled messages by process and id, with the time of the start; removed when handling ends. */
    private final Map<String, Long> open = new ConcurrentHashMap<>();
    /** Changes of the number of messages that are handled at once, by time in ms. */
    private final TreeMap<Long, Integer> changes = new TreeMap<>();

    private final Set<String> settled = ConcurrentHashMap.newKeySet();
    private final Set<String> replayed = new HashSet<>();

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @AfterEach
    void stop() {
        consumers.forEach(KillableConsumer::close);
        node.close();
        redis.close();
    }

    @ParameterizedTest
    @CsvSource({"1, 100000", "3, 20000"})
    @Timeout(900)
    void neverMoreAreHandledAtOnceThanPermitted(int limit, int messages) throws InterruptedException {
        System.out.println("seed " + seed);
        send(id(0));
        redis.command(ShardLimits.command("dq:{" + ConsumerProcess.TOPIC + ":0.0}:meta", limit + " 0 1 0"));
        for (int from = 1; from < messages; from += 500) {
            node.template.sendAll(IntStream.range(from, Math.min(messages, from + 500))
                    .mapToObj(i -> DelayMessage.to(ConsumerProcess.TOPIC)
                            .id(id(i))
                            .payload("")
                            .maxAttempts(3)
                            .build())
                    .toList());
        }
        Thread receiver = new Thread(this::receive, "receiver");
        receiver.setDaemon(true);
        receiver.start();
        Thread watch = new Thread(() -> watch(limit), "leases");
        watch.setDaemon(true);
        watch.start();
        startMissing();
        for (int kill = 1; kill <= KILLS; kill++) {
            int reached = (int) ((long) messages * kill / (KILLS + 2));
            await().atMost(MAX_WAIT).until(() -> {
                startMissing();
                replayDeadLetters();
                return settled.size() >= reached;
            });
            Collections.shuffle(consumers, random);
            KillableConsumer victim = consumers.remove(0);
            victim.kill();
            ended(victim);
        }
        await().atMost(MAX_WAIT).until(() -> {
            startMissing();
            return !replayDeadLetters() && stored("messages").isEmpty();
        });
        receiver.interrupt();
        receiver.join();
        watch.interrupt();
        watch.join();
        synchronized (changes) {
            int now = 0;
            int most = 0;
            for (int change : changes.values()) {
                now += change;
                most = Math.max(most, now);
            }
            System.out.println("at most " + most + " of " + limit + " at once, " + overfull + " of " + samples
                    + " samples over the limit");
            assertThat(most).isLessThanOrEqualTo(limit);
            assertThat(overfull).isZero();
        }
        System.out.println(replayed.size() + " dead letters were replayed");
        assertThat(replayed).isNotEmpty();
        assertThat(stored("deadLetters"))
                .allMatch(id -> ConsumerProcess.alwaysFails(
                        Integer.parseInt(messageId(id).substring(1))));
        assertThat(stored("deliveries")).isEmpty();
        assertThat(Ledger.ids(redis, "ZRANGE", key("leases"), "0", "-1")).isEmpty();
        assertThat(Ledger.ids(redis, "ZRANGE", key("schedule"), "0", "-1")).isEmpty();
    }

    private volatile int overfull;
    private volatile int samples;

    /** Reads the number of leases again and again. */
    private void watch(int limit) {
        try (RawRedis connection = new RawRedis(redis.port())) {
            while (!Thread.currentThread().isInterrupted()) {
                if ((Long) Objects.requireNonNull(connection.call("ZCARD", key("leases"))) - 1 > limit) {
                    overfull++;
                }
                samples++;
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    private void send(String id) {
        node.template.send(
                DelayMessage.to(ConsumerProcess.TOPIC).id(id).payload("").build());
    }

    /** An id whose handling takes no time. One of 50 always fails, and one of 10 at its first attempt. */
    private static String id(int i) {
        return "m" + (20 * i + i / 5 % 10);
    }

    private void receive() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                node.receiver
                        .receive(ReceiveRequest.from(ConsumerProcess.TOPIC)
                                .max(2)
                                .waitTime(Duration.ofSeconds(1))
                                .lease(LEASE))
                        .forEach(delivery -> {
                            String who = "receiver " + delivery.id();
                            record(who, System.currentTimeMillis(), true);
                            settled.add(delivery.id());
                            record(who, System.currentTimeMillis(), false);
                            delivery.acknowledge().join();
                        });
            }
        } catch (RuntimeException e) {
            if (!Thread.currentThread().isInterrupted()) {
                throw e;
            }
        }
    }

    /** Replays messages that are dead letters for the first time. */
    private boolean replayDeadLetters() {
        List<String> dead = stored("deadLetters").stream()
                .filter(id -> !replayed.contains(messageId(id)))
                .limit(500)
                .toList();
        if (dead.isEmpty()) {
            return false;
        }
        assertThat(Await.result(node.store.replay(Shard.single(ConsumerProcess.TOPIC), dead, Due.NOW)))
                .containsOnly(ReplayOutcome.REPLAYED);
        dead.forEach(id -> replayed.add(messageId(id)));
        return true;
    }

    private static String messageId(String deadLetterId) {
        return deadLetterId.substring(0, deadLetterId.lastIndexOf('@'));
    }

    private void startMissing() {
        consumers.removeIf(consumer -> !consumer.isAlive());
        while (consumers.size() < CONSUMERS) {
            consumers.add(
                    KillableConsumer.start(redis.port(), LEASE, directory.resolve("consumers.log"), this::record));
        }
    }

    private void record(KillableConsumer consumer, String line) {
        String[] words = line.split(" ");
        if (words.length < 3) {
            return;
        }
        String who = consumer + " " + words[2];
        switch (words[1]) {
            case "started" -> record(who, Long.parseLong(words[0]), true);
            case "ended", "failed" -> record(who, Long.parseLong(words[0]), false);
            case "acknowledged", "deadLettered" -> settled.add(words[2]);
            default -> {}
        }
    }

    /** An interval that ends in the millisecond in which another begins may be before it. */
    private void record(String who, long at, boolean begins) {
        Long begun = begins ? open.put(who, at) : open.remove(who);
        if (!begins && begun != null && at > begun) {
            synchronized (changes) {
                changes.merge(2 * begun + 1, 1, Integer::sum);
                changes.merge(2 * at, -1, Integer::sum);
            }
        }
    }

    private void ended(KillableConsumer killed) {
        List.copyOf(open.keySet()).stream()
                .filter(who -> who.startsWith(killed + " "))
                .forEach(who -> record(who, killed.endedAt(), false));
    }

    private Set<String> stored(String key) {
        return Ledger.ids(redis, "HKEYS", key(key));
    }

    private static String key(String name) {
        return "dq:{" + ConsumerProcess.TOPIC + ":0.0}:" + name;
    }
}
