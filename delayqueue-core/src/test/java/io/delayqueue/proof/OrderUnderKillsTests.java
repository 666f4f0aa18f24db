package io.delayqueue.proof;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard.Keys;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three consumer processes handle messages of many keys, some of which fail at first, are cancelled or are rescheduled, and
 * processes are killed while they handle messages. All processes use the same clock.
 */
@Tag("long")
@Tag("core")
class OrderUnderKillsTests {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration MAX_WAIT = Duration.ofSeconds(600);
    private static final int CONSUMERS = 3;
    private static final int SENDERS = 2;
    private static final int KEYS = 5_000;
    private static final int MESSAGES = 200_000;
    private static final int BATCH = 200;
    private static final int KILLS = 10;
    private static final int HANDLED_PER_KILL = 8_000;

    /** Instead of a place in the order of its key, if a message has another due time than that of its send. */
    private static final int NO_PLACE = -1;

    private final long seed = System.nanoTime();
    final RedisServerProcess redis = RedisServerProcess.start();
    private final QueueNode node = QueueNode.on(redis.port())
            .plan(new ShardPlan(Map.of(), Map.of(ConsumerProcess.TOPIC, keys()), ShardPlan.OnConflict.FAIL))
            .start();
    private final ExecutorService senders = Executors.newFixedThreadPool(SENDERS);
    private final List<KillableConsumer> consumers = new ArrayList<>();
    private final Set<String> sent = ConcurrentHashMap.newKeySet();
    private final Set<String> cancelled = ConcurrentHashMap.newKeySet();
    private final Set<String> cancelledWhileHandled = ConcurrentHashMap.newKeySet();
    private final Set<String> rescheduled = ConcurrentHashMap.newKeySet();

    /** By key. */
    final Map<String, List<Attempt>> attempts = new HashMap<>();
    /** By process, id and attempt. */
    private final Map<String, Attempt> running = new HashMap<>();

    private int handled;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    Keys keys() {
        return Keys.ORDERED;
    }

    /** Limits the topic, which exists. */
    void limit() {}

    /** The sorted sets that have no messages in the end. */
    List<String> sortedSets() {
        return List.of("schedule", "leases", "parked", "parked.due");
    }

    @AfterEach
    void stop() {
        senders.shutdownNow();
        consumers.forEach(KillableConsumer::close);
        node.close();
        redis.close();
    }

    @Test
    @Timeout(1800)
    void eachMessageIsHandledAsItsKeyDemands() {
        System.out.println("seed " + seed);
        node.template.send(DelayMessage.to(ConsumerProcess.TOPIC)
                .id("m0")
                .key("first")
                .payload("first 0")
                .build());
        sent.add("m0");
        limit();
        startMissing();
        await().atMost(MAX_WAIT).until(() -> consumers.stream().allMatch(KillableConsumer::isReady));
        CompletableFuture<?> all = CompletableFuture.allOf(IntStream.range(0, SENDERS)
                .mapToObj(sender -> CompletableFuture.runAsync(() -> send(sender), senders))
                .toArray(CompletableFuture[]::new));
        Random random = new Random(seed);
        for (int kill = 1; kill <= KILLS; kill++) {
            int reached = handled() + HANDLED_PER_KILL;
            await().atMost(MAX_WAIT).until(() -> handled() >= reached);
            KillableConsumer victim = consumers.remove(random.nextInt(CONSUMERS));
            victim.kill();
            startMissing();
        }
        all.join();
        await().atMost(MAX_WAIT)
                .until(() -> redis.command("HLEN", key("messages")).equals(1L));

        for (String name : sortedSets()) {
            assertThat(redis.command("ZCARD", key(name))).as(name).isEqualTo(1L);
        }
        for (String name : List.of("deliveries", "heads")) {
            assertThat(redis.command("HLEN", key(name))).as(name).isEqualTo(1L);
        }
        // the consumers end, so that all lines have been read
        consumers.forEach(KillableConsumer::close);
        check();
    }

    /** The attempts of which each one begins after the end of the one before, by what they have in common. */
    Map<String, List<Attempt>> oneAtATime() {
        return attempts;
    }

    private synchronized void check() {
        int killed = 0;
        int retried = 0;
        Set<String> started = ConcurrentHashMap.newKeySet();
        Map<String, List<Attempt>> attempts = oneAtATime();
        for (Map.Entry<String, List<Attempt>> entry : attempts.entrySet()) {
            List<Attempt> inOrder = entry.getValue();
            inOrder.sort(Comparator.comparingLong(attempt -> attempt.start));
            Attempt last = null;
            Attempt lastWithPlace = null;
            for (Attempt next : inOrder) {
                started.add(next.id);
                if (last != null) {
                    assertThat(next.start)
                            .as("%s: %s, then %s", entry.getKey(), last, next)
                            .isGreaterThanOrEqualTo(last.end());
                    killed += last.isKilled() ? 1 : 0;
                    retried += last.id.equals(next.id) ? 1 : 0;
                }
                if (!cancelledWhileHandled.contains(next.id)) {
                    last = next;
                }
                if (keys() == Keys.ORDERED && next.place != NO_PLACE && !rescheduled.contains(next.id)) {
                    if (lastWithPlace != null) {
                        assertThat(next.place)
                                .as("key %s: %s, then %s", entry.getKey(), lastWithPlace, next)
                                .isGreaterThanOrEqualTo(lastWithPlace.place);
                    }
                    lastWithPlace = next;
                }
            }
        }
        System.out.println(sent.size() + " sent with " + this.attempts.size() + " keys, " + cancelled.size()
                + " cancelled, "
                + cancelledWhileHandled.size() + " while they were handled, " + rescheduled.size() + " rescheduled, "
                + retried + " handled again, " + killed + " handlers killed");
        assertThat(killed).isPositive();
        assertThat(retried).isPositive();
        sent.removeAll(started);
        sent.removeAll(cancelled);
        assertThat(sent).isEmpty();
    }

    /** Each key has one sender, so that the order of its messages is known. */
    private void send(int sender) {
        Random random = new Random(seed + sender);
        int[] places = new int[KEYS];
        int number = sender;
        List<String> ids = new ArrayList<>();
        for (int batch = 0; batch < MESSAGES / SENDERS / BATCH; batch++) {
            List<DelayMessage> messages = new ArrayList<>();
            while (messages.size() < BATCH) {
                number += SENDERS;
                if (isCostly(number)) {
                    continue;
                }
                int key = random.nextInt(KEYS / SENDERS) * SENDERS + sender;
                boolean delayed = random.nextInt(5) == 0;
                messages.add(DelayMessage.to(ConsumerProcess.TOPIC)
                        .id("m" + number)
                        .key("k" + key)
                        .payload("k" + key + " " + (delayed ? NO_PLACE : places[key]++))
                        .delay(Duration.ofMillis(delayed ? random.nextInt(2000) : 0))
                        .build());
            }
            node.template.sendAll(messages);
            messages.forEach(message -> ids.add(requireNonNull(message.id())));
            sent.addAll(ids.subList(ids.size() - BATCH, ids.size()));
            for (int i = 0; i < 4; i++) {
                String id = ids.get(random.nextInt(ids.size()));
                if (i < 2) {
                    reschedule(id);
                } else {
                    cancel(id);
                }
            }
        }
    }

    /** Whether a message always fails, or is handled for a long time: only some do. */
    private static boolean isCostly(int number) {
        return number < 10
                || (ConsumerProcess.alwaysFails(number) && number % 20_000 != 3)
                || (number % 20 == 11 && number % 200 != 11);
    }

    private void cancel(String id) {
        CancelOutcome outcome = node.template.cancel(ConsumerProcess.TOPIC, id);
        if (outcome != CancelOutcome.NOT_FOUND) {
            cancelled.add(id);
        }
        if (outcome == CancelOutcome.CANCELLED_WHILE_HANDLED) {
            cancelledWhileHandled.add(id);
        }
    }

    private void reschedule(String id) {
        if (node.template.reschedule(ConsumerProcess.TOPIC, id, Duration.ofMillis(300))
                == RescheduleOutcome.RESCHEDULED) {
            rescheduled.add(id);
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
        if (words.length < 4) {
            return;
        }
        String who = consumer + " " + words[2] + " " + words[3];
        switch (words[1]) {
            case "started" -> {
                Attempt attempt = new Attempt(consumer, words[2], Integer.parseInt(words[5]), Long.parseLong(words[0]));
                attempts.computeIfAbsent(words[4], key -> new ArrayList<>()).add(attempt);
                running.put(who, attempt);
            }
            case "ended", "failed" -> {
                requireNonNull(running.remove(who), line).end = Long.parseLong(words[0]);
                handled++;
            }
            default -> {}
        }
    }

    private synchronized int handled() {
        return handled;
    }

    static String key(String name) {
        return "dq:{" + ConsumerProcess.TOPIC + ":0.0}:" + name;
    }
}
