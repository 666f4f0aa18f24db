package io.delayqueue.proof;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.QueueNode;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard.Keys;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A key at 100 times the load of the others, and above what the handlers can do, hardly delays them. */
@Tag("long")
@Tag("core")
@Tag("alone")
class FairnessTests {

    private static final int HANDLERS = 4;
    private static final int HANDLING_MILLIS = 10;
    private static final int ROUNDS = 40;
    private static final int KEYS = 5;
    private static final int BUSY = 100;
    private static final int ROUND_MILLIS = 200;

    /** A message of another key than the busy one: when it was due, and when its handler started and ended, in ms since 1970. */
    private record Other(long due, long start, long end) {}

    /** The messages of the other keys, when handlers of the busy key started, and how long it all took. */
    private record Measured(List<Other> others, List<Long> busyStarts, long millis) {

        /** From when each of the others was due until it was handled. */
        List<Long> times() {
            return others.stream().map(other -> other.end - other.due).sorted().toList();
        }

        /** How many messages of the busy key started while each of the others was due. */
        List<Long> overtaken() {
            return others.stream()
                    .map(other -> busyStarts.stream()
                            .filter(start -> start > other.due && start < other.start)
                            .count())
                    .sorted()
                    .toList();
        }
    }

    private static long median(List<Long> sorted) {
        return sorted.get(sorted.size() / 2);
    }

    /** What 95 % do not exceed. */
    private static long high(List<Long> sorted) {
        return sorted.get(sorted.size() * 95 / 100);
    }

    @Test
    void aBusyKeyHardlyDelaysTheOthersAndGetsTheRest() {
        measure(BUSY); // warms up
        Measured alone = measure(0);
        Measured beside = measure(BUSY);
        long possible = beside.millis * HANDLERS / HANDLING_MILLIS;
        System.out.printf(
                "%d messages of others: alone median %d ms, 95 %% %d ms; beside a busy key median %d ms, 95 %% %d ms;"
                        + " of the busy key started meanwhile median %d, 95 %% %d; in %d ms the busy key had %d, the handlers had"
                        + " time for %d%n",
                beside.others.size(),
                median(alone.times()),
                high(alone.times()),
                median(beside.times()),
                high(beside.times()),
                median(beside.overtaken()),
                high(beside.overtaken()),
                beside.millis,
                beside.busyStarts.size(),
                possible);

        assertThat(median(beside.times())).isLessThanOrEqualTo(3 * median(alone.times()));
        assertThat(high(beside.times())).isLessThanOrEqualTo(3 * high(alone.times()));
        assertThat(median(beside.overtaken())).isLessThanOrEqualTo(HANDLERS);
        assertThat(high(beside.overtaken())).isLessThanOrEqualTo(3 * HANDLERS);
        assertThat(beside.busyStarts.size() + beside.others.size()).isGreaterThan((int) (possible * 7 / 10));
    }

    private static Measured measure(int busyPerRound) {
        List<Other> others = Collections.synchronizedList(new ArrayList<>());
        List<Long> busyStarts = Collections.synchronizedList(new ArrayList<>());
        try (RedisServerProcess redis = RedisServerProcess.start();
                QueueNode node = QueueNode.on(redis.port())
                        .plan(new ShardPlan(Map.of(), Map.of("t", Keys.FAIR), ShardPlan.OnConflict.FAIL))
                        .start()) {
            node.listen(
                    "t",
                    ListenerOptions.DEFAULTS.toBuilder().concurrency(HANDLERS).build(),
                    deliveries -> {
                        long due = Long.parseLong(new String(deliveries.get(0).body(), UTF_8));
                        long started = System.currentTimeMillis();
                        LockSupport.parkNanos(Duration.ofMillis(HANDLING_MILLIS).toNanos());
                        if (due == 0) {
                            busyStarts.add(started);
                        } else {
                            others.add(new Other(due, started, System.currentTimeMillis()));
                        }
                        return null;
                    });
            long start = System.currentTimeMillis();
            for (int round = 0; round < ROUNDS; round++) {
                List<DelayMessage> messages = new ArrayList<>();
                for (int i = 0; i < busyPerRound; i++) {
                    messages.add(DelayMessage.to("t").key("busy").payload("0").build());
                }
                for (int key = 0; key < KEYS; key++) {
                    long delay = 50 + key * 20;
                    messages.add(DelayMessage.to("t")
                            .key("k" + key)
                            .payload(Long.toString(System.currentTimeMillis() + delay))
                            .delay(Duration.ofMillis(delay))
                            .build());
                }
                node.template.sendAll(messages);
                long next = start + (long) (round + 1) * ROUND_MILLIS;
                LockSupport.parkUntil(next);
            }
            await().until(() -> others.size() == ROUNDS * KEYS);
            return new Measured(List.copyOf(others), List.copyOf(busyStarts), System.currentTimeMillis() - start);
        }
    }
}
