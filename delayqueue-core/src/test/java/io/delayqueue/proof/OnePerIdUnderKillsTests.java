package io.delayqueue.proof;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three consumer processes handle the messages of few ids, which are sent to be handled after running ones, and processes
 * are killed while they handle messages. All processes use the same clock.
 */
@Tag("long")
@Tag("core")
class OnePerIdUnderKillsTests {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration MAX_WAIT = Duration.ofSeconds(300);
    private static final Duration PAUSE = Duration.ofMillis(1);
    private static final int CONSUMERS = 3;
    private static final int SENDERS = 3;
    private static final int KILLS = 12;
    private static final int HANDLED_PER_KILL = 500;
    /** The first id; with this one, some are handled for 300 ms, some fail at first, and none always. */
    private static final int FIRST = 50;

    private static final int IDS = 50;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final RedisServerProcess redis = RedisServerProcess.start();
    private final QueueNode node = QueueNode.on(redis.port()).start();
    private final ExecutorService senders = Executors.newFixedThreadPool(SENDERS);
    private final List<KillableConsumer> consumers = new ArrayList<>();
    private final int[] sent = new int[FIRST + IDS];
    private volatile boolean sending = true;

    /** By id. */
    private final Map<String, List<Attempt>> attempts = new TreeMap<>();
    /** By process, id, attempt and payload. */
    private final Map<String, Attempt> running = new HashMap<>();

    private int acknowledged;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @AfterEach
    void stop() {
        sending = false;
        senders.shutdownNow();
        consumers.forEach(KillableConsumer::close);
        node.close();
        redis.close();
    }

    @Test
    @Timeout(600)
    void handlersOfAnIdDoNotOverlapAndTheLastPayloadIsHandledLast() {
        System.out.println("seed " + seed);
        startMissing();
        await().atMost(MAX_WAIT).until(() -> consumers.stream().allMatch(KillableConsumer::isReady));
        CompletableFuture<?> all = CompletableFuture.allOf(IntStream.range(0, SENDERS)
                .mapToObj(sender -> CompletableFuture.runAsync(() -> send(sender), senders))
                .toArray(CompletableFuture[]::new));
        for (int kill = 1; kill <= KILLS; kill++) {
            int reached = acknowledged() + HANDLED_PER_KILL;
            await().atMost(MAX_WAIT).until(() -> acknowledged() >= reached && handlesSomething(consumers));
            KillableConsumer victim = consumers.stream()
                    .filter(consumer -> handlesSomething(List.of(consumer)))
                    .skip(random.nextInt(2))
                    .findFirst()
                    .orElse(consumers.get(0));
            victim.kill();
            consumers.remove(victim);
            startMissing();
        }
        sending = false;
        all.join();
        await().atMost(MAX_WAIT)
                .until(() -> Ledger.ids(redis, "HKEYS", key("messages")).isEmpty());

        assertThat(Ledger.ids(redis, "HKEYS", key("deliveries"))).isEmpty();
        assertThat(Ledger.ids(redis, "HKEYS", key("deadLetters"))).isEmpty();
        assertThat(Ledger.ids(redis, "ZRANGE", key("schedule"), "0", "-1")).isEmpty();
        assertThat(Ledger.ids(redis, "ZRANGE", key("leases"), "0", "-1")).isEmpty();
        // the consumers end, so that all lines have been read
        consumers.forEach(KillableConsumer::close);
        checkAttempts();
    }

    private synchronized void checkAttempts() {
        int handled = 0;
        int killed = 0;
        long shortest = Long.MAX_VALUE;
        assertThat(attempts).hasSize(IDS);
        for (Map.Entry<String, List<Attempt>> entry : attempts.entrySet()) {
            List<Attempt> inOrder = entry.getValue();
            inOrder.sort(Comparator.comparingLong(attempt -> attempt.start));
            handled += inOrder.size();
            for (int i = 1; i < inOrder.size(); i++) {
                Attempt before = inOrder.get(i - 1);
                Attempt next = inOrder.get(i);
                assertThat(next.start)
                        .as("%s: %s, then %s", entry.getKey(), before, next)
                        .isGreaterThanOrEqualTo(before.end());
                assertThat(next.place)
                        .as("%s: %s, then %s", entry.getKey(), before, next)
                        .isGreaterThanOrEqualTo(before.place);
                if (before.isKilled()) {
                    killed++;
                    shortest = Math.min(shortest, next.start - before.end());
                }
            }
            assertThat(inOrder.get(inOrder.size() - 1).place)
                    .as(entry.getKey())
                    .isEqualTo(sent[Integer.parseInt(entry.getKey().substring(1))] - 1);
        }
        int all = IntStream.of(sent).sum();
        System.out.println(all + " sent, " + handled + " handlers started, " + killed
                + " of them killed, the next one of the id at least " + shortest + " ms later");
        assertThat(killed).isPositive();
        assertThat(handled).isLessThan(all);
    }

    /** Each id has one sender. */
    private void send(int sender) {
        while (sending) {
            for (int id = FIRST + sender; id < FIRST + IDS; id += SENDERS) {
                node.template.send(DelayMessage.to(ConsumerProcess.TOPIC)
                        .id("m" + id)
                        .payload(Integer.toString(sent[id]++))
                        .onDuplicate(OnDuplicate.AFTER_RUNNING)
                        .build());
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private void startMissing() {
        while (consumers.size() < CONSUMERS) {
            consumers.add(
                    KillableConsumer.start(redis.port(), LEASE, directory.resolve("consumers.log"), this::record));
        }
    }

    private synchronized void record(KillableConsumer consumer, String line) {
        String[] words = line.split(" ");
        if (words.length < 3) {
            return;
        }
        long at = Long.parseLong(words[0]);
        String who = consumer + " " + String.join(" ", List.of(words).subList(2, words.length));
        switch (words[1]) {
            case "started" -> {
                Attempt attempt = new Attempt(consumer, words[2], Integer.parseInt(words[4]), at);
                attempts.computeIfAbsent(words[2], id -> new ArrayList<>()).add(attempt);
                running.put(who, attempt);
            }
            case "ended", "failed" -> {
                requireNonNull(running.remove(who), line).end = at;
            }
            case "acknowledged" -> acknowledged++;
            default -> {}
        }
    }

    private synchronized int acknowledged() {
        return acknowledged;
    }

    private synchronized boolean handlesSomething(List<KillableConsumer> some) {
        return running.keySet().stream().anyMatch(who -> some.stream().anyMatch(each -> who.startsWith(each + " ")));
    }

    private static String key(String name) {
        return "dq:{" + ConsumerProcess.TOPIC + ":0.0}:" + name;
    }
}
