package io.delayqueue.proof;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.Schedule;
import io.delayqueue.store.script.Recurrences;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.test.redis.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three consumer processes handle the occurrences of many schedules. Processes and Redis, which keeps its writes, are killed. No two
 * occurrences of a schedule are handled at once, and each slot has an occurrence or is counted as skipped.
 */
@Tag("long")
@Tag("core")
class SchedulesUnderKillsTests {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration MAX_WAIT = Duration.ofSeconds(300);
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final int CONSUMERS = 3;
    private static final int SCHEDULES = 1_000;
    private static final int KILLS = 12;
    private static final int HANDLED_PER_KILL = 4_000;

    private final long seed = System.nanoTime();
    private final RedisServerProcess redis =
            RedisServerProcess.builder().appendOnly().start();
    private final QueueNode node = QueueNode.on(redis.port()).start();
    private final DelayQueueSchedules schedules = new DelayQueueSchedules(
            node.template,
            node.registry,
            new Recurrences(node.scripts, node.keySpace, node.registry),
            InstantSource.system());
    private final List<KillableConsumer> consumers = new ArrayList<>();
    /** By id. The place of an attempt is the number of its slot. */
    private final Map<String, List<Attempt>> attempts = new HashMap<>();

    private final Map<String, Attempt> running = new HashMap<>();
    private final Map<String, Instant> firstSlots = new HashMap<>();
    private int handled;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @AfterEach
    void stop() {
        consumers.forEach(KillableConsumer::close);
        node.close();
        redis.close();
    }

    @Test
    @Timeout(900)
    void eachSlotHasAnOccurrenceOrIsSkipped() {
        System.out.println("seed " + seed);
        List<String> ids = IntStream.iterate(0, i -> i + 1)
                .filter(number -> number == 3 || (!ConsumerProcess.alwaysFails(number) && number % 200 != 11))
                .limit(SCHEDULES)
                .mapToObj(number -> "s" + number)
                .toList();
        for (String id : ids) {
            Schedule schedule =
                    Schedule.of(ConsumerProcess.TOPIC, id).every(PERIOD).payload("p");
            synchronized (this) {
                firstSlots.put(id, requireNonNull(schedules.put(schedule).next()));
            }
        }
        startMissing();
        Random random = new Random(seed);
        for (int kill = 1; kill <= KILLS; kill++) {
            int reached = handled() + HANDLED_PER_KILL;
            await().atMost(MAX_WAIT).until(() -> handled() >= reached);
            if (kill % 4 == 0) {
                redis.kill();
                redis.restart();
            } else {
                consumers.remove(random.nextInt(CONSUMERS)).kill();
                startMissing();
            }
        }
        int reached = handled() + HANDLED_PER_KILL;
        await().atMost(MAX_WAIT).until(() -> handled() >= reached);
        // the consumers end, so that all lines have been read
        consumers.forEach(KillableConsumer::close);
        check();
    }

    private synchronized void check() {
        int killed = 0;
        long slots = 0;
        long skipped = 0;
        for (Schedule.Snapshot schedule : all()) {
            List<Attempt> inOrder = attempts.getOrDefault(schedule.id(), List.of()).stream()
                    .sorted(Comparator.comparingLong(attempt -> attempt.start))
                    .toList();
            Attempt last = null;
            for (Attempt next : inOrder) {
                if (last != null) {
                    assertThat(next.start).as("%s, then %s", last, next).isGreaterThanOrEqualTo(last.end());
                    assertThat(next.place).as("%s, then %s", last, next).isGreaterThanOrEqualTo(last.place);
                    killed += last.isKilled() ? 1 : 0;
                }
                last = next;
            }
            MessageSnapshot occurrence = schedule.occurrence();
            if (occurrence != null) {
                int number = number(
                        schedule.id(), requireNonNull(occurrence.envelope().slot()));
                long used = inOrder.stream()
                        .mapToInt(attempt -> attempt.place)
                        .filter(place -> place < number)
                        .distinct()
                        .count();
                assertThat(used + schedule.skipped())
                        .as("%s %s", schedule, inOrder)
                        .isEqualTo(number);
                slots += used;
                skipped += schedule.skipped();
            }
        }
        System.out.println(SCHEDULES + " schedules, " + slots + " slots handled, " + skipped + " skipped, " + killed
                + " handlers killed");
        assertThat(killed).isPositive();
        assertThat(slots).isGreaterThan(KILLS * HANDLED_PER_KILL / 2);
    }

    private List<Schedule.Snapshot> all() {
        List<Schedule.Snapshot> all = new ArrayList<>();
        String after = null;
        do {
            Schedule.Page page = schedules.list(ConsumerProcess.TOPIC, after, 500);
            all.addAll(page.schedules());
            after = page.next();
        } while (after != null);
        assertThat(all).hasSize(SCHEDULES);
        return all;
    }

    /** The number of a slot, from 0. */
    private int number(String id, Instant slot) {
        long millis = Duration.between(requireNonNull(firstSlots.get(id)), slot).toMillis();
        assertThat(millis % PERIOD.toMillis()).isZero();
        return (int) (millis / PERIOD.toMillis());
    }

    private void startMissing() {
        while (consumers.size() < CONSUMERS) {
            consumers.add(
                    KillableConsumer.start(redis.port(), LEASE, directory.resolve("consumers.log"), this::record));
        }
    }

    private synchronized void record(KillableConsumer consumer, String line) {
        String[] words = line.split(" ");
        if (words.length < 6) {
            return;
        }
        String who = consumer + " " + words[2] + " " + words[3];
        switch (words[1]) {
            case "started" -> {
                Instant slot = Instant.ofEpochMilli(Long.parseLong(words[5]));
                Attempt attempt = new Attempt(consumer, words[2], number(words[2], slot), Long.parseLong(words[0]));
                attempts.computeIfAbsent(words[2], id -> new ArrayList<>()).add(attempt);
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
}
