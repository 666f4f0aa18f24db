package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three consumer processes are killed by the test, and by messages that kill each process that handles them, and are
 * restarted while messages are sent. Redis runs on the same machine and uses the same clock as all processes.
 */
@Tag("long")
@Tag("core")
class KilledConsumersTests {

    private static final int CONSUMERS = 3;
    private static final Duration LEASE = Duration.ofSeconds(3);
    /** Time within which messages interrupted by a kill are redelivered. */
    private static final Duration RECOVERY =
            LEASE.plus(ConsumerProcess.SETTINGS.heartbeatTimeout()).plus(ConsumerProcess.SETTINGS.sweep());

    private static final Duration MAX_WAIT = Duration.ofSeconds(60);
    private static final int MESSAGES = 20_000;
    private static final int KILLERS = 3;
    private static final int ROUNDS = 16;
    private static final int BATCH = 250;
    /** Number of messages that become due at the last kill, after which no process is started. */
    private static final int BURST = 1_000;

    private static final int MAX_UNSETTLED = 5_000;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final RedisServerProcess redis =
            RedisServerProcess.builder().appendOnly().start();
    private final QueueNode sender = QueueNode.on(redis.port()).start();
    private final List<KillableConsumer> consumers = new ArrayList<>();
    private final Map<String, List<Attempt>> attempts = new HashMap<>();
    private final Map<String, Long> due = new HashMap<>();
    private final Map<String, Long> cancelled = new HashMap<>();
    private final Map<String, String> deadLettered = new HashMap<>();
    private final Set<String> acknowledged = new HashSet<>();
    private final List<String> violations = new ArrayList<>();
    private long lastSettledAt;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    /** One handler invocation. */
    private static final class Attempt {

        private final KillableConsumer consumer;
        private final int number;
        private final long startedAt;
        private long endedAt = Long.MAX_VALUE;
        private boolean failed;
        private boolean acknowledged;

        Attempt(KillableConsumer consumer, int number, long startedAt) {
            this.consumer = consumer;
            this.number = number;
            this.startedAt = startedAt;
        }

        /** Whether its acknowledgement may have reached Redis without a report. */
        boolean mayHaveBeenAcknowledged() {
            return !failed && !acknowledged && consumer.endedAt() - endedAt < LEASE.toMillis();
        }

        /** Whether another attempt may follow it. */
        boolean permits(Attempt later) {
            return failed
                    ? later.startedAt >= endedAt && later.number >= number
                    : !acknowledged && later.startedAt >= consumer.endedAt() && later.number == number;
        }

        @Override
        public String toString() {
            return number + " by " + consumer + " at " + startedAt + (failed ? " failed" : " ended") + " at " + endedAt
                    + (acknowledged ? ", acknowledged" : "") + ", end of process " + consumer.endedAt();
        }
    }

    @AfterEach
    void stop() {
        consumers.forEach(KillableConsumer::close);
        sender.close();
        redis.close();
    }

    @Test
    @Timeout(600)
    void killedConsumersLoseNoMessageAndOnlyMessagesThatKillBecomeDeadLetters() throws Exception {
        System.out.println("seed " + seed);
        startMissing();
        IntStream.range(0, KILLERS)
                .forEach(i -> sender.template.send(message(ConsumerProcess.KILLER + i, Instant.now())));
        int first = MESSAGES - BURST;
        FutureTask<Void> sending = new FutureTask<>(sendUpTo(first));
        new Thread(sending, "sender").start();
        for (int round = 1; round < ROUNDS; round++) {
            int reached = first * round / ROUNDS;
            awaitRestarting(() -> settled() >= reached);
            IntStream.range(0, 1 + random.nextInt(CONSUMERS)).forEach(i -> killOne());
        }
        sending.get(MAX_WAIT.toSeconds(), TimeUnit.SECONDS);
        awaitRestarting(() -> deadLettered("CRASHED").size() == KILLERS);
        await().atMost(MAX_WAIT).until(() -> consumers.stream().allMatch(KillableConsumer::isReady));
        Instant burst = Instant.now().plusSeconds(2);
        sender.template.sendAll(IntStream.range(first, MESSAGES)
                .mapToObj(i -> message("m" + i, burst))
                .toList());
        await().atMost(MAX_WAIT).pollInterval(Duration.ofMillis(5)).until(this::burstStarted);
        long killedAt = killOne();

        Set<String> far = new HashSet<>(due.keySet());
        far.removeIf(id -> due.get(id) < killedAt + MAX_WAIT.toMillis() || cancelled.containsKey(id));
        await().atMost(MAX_WAIT)
                .untilAsserted(() -> assertThat(stored("HKEYS", "messages")).isEqualTo(far));
        await().atMost(MAX_WAIT).untilAsserted(() -> assertThat(wrong(far)).isEmpty());
        check();
        assertThat(lastSettledAt - killedAt).isLessThan(RECOVERY.multipliedBy(3).toMillis());
        assertThat(stored("ZRANGE", "schedule", "0", "-1")).isEqualTo(far);
        assertThat(stored("ZRANGE", "leases", "0", "-1")).isEmpty();
        assertThat(stored("HKEYS", "deliveries")).isEmpty();
    }

    private Set<String> stored(String verb, String key, String... arguments) {
        List<String> command = new ArrayList<>(List.of(verb, "dq:{" + ConsumerProcess.TOPIC + ":0.0}:" + key));
        command.addAll(List.of(arguments));
        return Ledger.ids(redis, command.toArray(String[]::new));
    }

    private void startMissing() {
        consumers.removeIf(consumer -> !consumer.isAlive());
        while (consumers.size() < CONSUMERS) {
            consumers.add(
                    KillableConsumer.start(redis.port(), LEASE, directory.resolve("consumers.log"), this::record));
        }
    }

    private void awaitRestarting(Callable<Boolean> condition) {
        await().atMost(MAX_WAIT).until(() -> {
            startMissing();
            return condition.call();
        });
    }

    /** Kills a consumer, preferably one that is handling a message. Returns the time in milliseconds since 1970. */
    private long killOne() {
        Collections.shuffle(consumers, random);
        KillableConsumer victim =
                consumers.stream().filter(this::isHandling).findFirst().orElse(consumers.get(0));
        victim.kill();
        consumers.remove(victim);
        return victim.endedAt();
    }

    // ---- the sender ----------------------------------------------------------------------------------------------

    /** Sends messages that are due in some seconds or in an hour, and cancels some. */
    private Callable<Void> sendUpTo(int end) {
        return () -> {
            Random delays = new Random(seed);
            for (int from = 0; from < end; from += BATCH) {
                int sent = from;
                await().atMost(MAX_WAIT).until(() -> settled() + sent / 50 >= sent - MAX_UNSETTLED);
                Instant now = Instant.now();
                sender.template.sendAll(IntStream.range(from, from + BATCH)
                        .mapToObj(i -> message(
                                "m" + i, now.plusMillis(i % 50 == 9 ? 3_600_000 : 3_000 + delays.nextInt(5_000))))
                        .toList());
                for (int i = 0; i < BATCH / 25; i++) {
                    cancel("m" + delays.nextInt(i % 2 == 0 ? 0 : from, from + BATCH));
                }
            }
            return null;
        };
    }

    private synchronized DelayMessage message(String id, Instant at) {
        due.put(id, at.toEpochMilli());
        DelayMessage.Builder message =
                DelayMessage.to(ConsumerProcess.TOPIC).id(id).payload("").dueAt(at);
        return alwaysFails(id) ? message.maxAttempts(3).build() : message.build();
    }

    private static boolean alwaysFails(String id) {
        return id.startsWith("m") && ConsumerProcess.alwaysFails(Integer.parseInt(id.substring(1)));
    }

    private void cancel(String id) {
        CancelOutcome outcome = sender.template.cancel(ConsumerProcess.TOPIC, id);
        synchronized (this) {
            if (outcome.isCancelled()) {
                cancelled.put(id, outcome == CancelOutcome.CANCELLED ? System.currentTimeMillis() : Long.MAX_VALUE);
            }
        }
    }

    // ---- what the consumers report ---------------------------------------------------------------------------------

    /** Records a line of a consumer: time, event, id and attempt or cause. Lines of consumers arrive out of order. */
    private synchronized void record(KillableConsumer consumer, String line) {
        String[] words = line.split(" ");
        long at = Long.parseLong(words[0]);
        switch (words[1]) {
            case "started" -> {
                List<Attempt> all = attempts.computeIfAbsent(words[2], id -> new ArrayList<>());
                all.add(new Attempt(consumer, Integer.parseInt(words[3]), at));
                all.sort(Comparator.comparingLong(attempt -> attempt.startedAt));
                if (at < due.get(words[2])) {
                    violations.add("early: " + line);
                }
            }
            case "ended", "failed", "acknowledged" -> {
                Attempt attempt = attempt(consumer, words);
                if (attempt == null) {
                    violations.add("never started: " + line);
                } else if (words[1].equals("acknowledged")) {
                    attempt.acknowledged = true;
                    lastSettledAt = Math.max(lastSettledAt, at);
                    acknowledged.add(words[2]);
                } else {
                    attempt.endedAt = at;
                    attempt.failed = words[1].equals("failed");
                }
            }
            case "deadLettered" -> {
                lastSettledAt = Math.max(lastSettledAt, at);
                deadLettered.put(words[2], words[3]);
            }
            default -> {}
        }
    }

    private @Nullable Attempt attempt(KillableConsumer consumer, String[] words) {
        return attempts.getOrDefault(words[2], List.of()).stream()
                .filter(each -> each.consumer == consumer && each.number == Integer.parseInt(words[3]))
                .reduce((one, later) -> later)
                .orElse(null);
    }

    private synchronized boolean isHandling(KillableConsumer consumer) {
        return attempts.values().stream()
                .map(all -> all.get(all.size() - 1))
                .anyMatch(last -> last.consumer == consumer && last.endedAt == Long.MAX_VALUE);
    }

    private synchronized int settled() {
        return acknowledged.size() + deadLettered.size() + cancelled.size();
    }

    private synchronized boolean burstStarted() {
        return IntStream.range(MESSAGES - BURST, MESSAGES).anyMatch(i -> attempts.containsKey("m" + i));
    }

    private synchronized Set<String> deadLettered(String cause) {
        Set<String> ids = new HashSet<>(deadLettered.keySet());
        ids.removeIf(id -> !deadLettered.get(id).equals(cause));
        return ids;
    }

    /** Messages that are not exactly one of acknowledged, dead-lettered, cancelled and stored. */
    private synchronized List<String> wrong(Set<String> stored) {
        Set<String> dead = new HashSet<>();
        stored("ZRANGE", "dead", "0", "-1").forEach(id -> dead.add(id.substring(0, id.lastIndexOf('@'))));
        return due.keySet().stream()
                .filter(id -> {
                    long outcomes = List.of(acknowledged, dead, cancelled.keySet(), stored).stream()
                            .filter(ids -> ids.contains(id))
                            .count();
                    List<Attempt> all = attempts.getOrDefault(id, List.of());
                    boolean unreported =
                            !all.isEmpty() && all.get(all.size() - 1).mayHaveBeenAcknowledged();
                    return outcomes != 1 && !(outcomes == 0 && unreported);
                })
                .map(id -> id + ": dead " + dead.contains(id) + ", cancelled " + cancelled.get(id) + ", "
                        + attempts.get(id))
                .toList();
    }

    private synchronized void check() {
        attempts.forEach((id, all) -> {
            for (int i = 1; i < all.size(); i++) {
                if (!all.get(i - 1).permits(all.get(i))) {
                    violations.add(id + " was redelivered unexpectedly: " + all);
                }
            }
            if (all.get(all.size() - 1).startedAt > cancelled.getOrDefault(id, Long.MAX_VALUE)) {
                violations.add(id + " started after it was cancelled: " + all);
            }
        });
        assertThat(violations).isEmpty();
        assertThat(deadLettered.keySet()).allMatch(id -> id.startsWith(ConsumerProcess.KILLER) || alwaysFails(id));
        assertThat(deadLettered("CRASHED")).allMatch(id -> id.startsWith(ConsumerProcess.KILLER));
    }
}
