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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A key at 100 times the load of the others, and above what the handlers can do, hardly delays them. */
@Tag("long")
@Tag("core")
class FairnessTests {

    private static final int HANDLERS = 4;
    private static final int HANDLING_MILLIS = 10;
    private static final int ROUNDS = 40;
    private static final int KEYS = 5;
    private static final int BUSY = 100;
    private static final int ROUND_MILLIS = 200;

    /** Times in milliseconds from when the messages of other keys are due until they are handled; busy messages, and the whole time. */
    private record Measured(List<Long> times, int busy, long millis) {

        long middle() {
            return times.get(times.size() / 2);
        }

        long late() {
            return times.get(times.size() * 95 / 100);
        }
    }

    @Test
    void aBusyKeyHardlyDelaysTheOthersAndGetsTheRest() {
        measure(BUSY); // warms up
        Measured alone = measure(0);
        Measured beside = measure(BUSY);
        int others = ROUNDS * KEYS;
        long possible = beside.millis * HANDLERS / HANDLING_MILLIS;
        System.out.printf(
                "%d messages of others: alone median %d ms, 95 %% %d ms; beside a busy key median %d ms, 95 %% %d ms; in %d ms the busy"
                        + " key had %d, the handlers had time for %d%n",
                others,
                alone.middle(),
                alone.late(),
                beside.middle(),
                beside.late(),
                beside.millis,
                beside.busy,
                possible);

        assertThat(beside.middle()).isLessThanOrEqualTo(3 * alone.middle());
        assertThat(beside.late()).isLessThanOrEqualTo(3 * alone.late());
        assertThat(beside.busy + others).isGreaterThan((int) (possible * 7 / 10));
    }

    private static Measured measure(int busyPerRound) {
        List<Long> times = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger busy = new AtomicInteger();
        try (RedisServerProcess redis = RedisServerProcess.start();
                QueueNode node = QueueNode.on(redis.port())
                        .plan(new ShardPlan(Map.of(), Map.of("t", Keys.FAIR), ShardPlan.OnConflict.FAIL))
                        .start()) {
            node.listen(
                    "t",
                    ListenerOptions.DEFAULTS.toBuilder().concurrency(HANDLERS).build(),
                    deliveries -> {
                        long due = Long.parseLong(new String(deliveries.get(0).body(), UTF_8));
                        LockSupport.parkNanos(Duration.ofMillis(HANDLING_MILLIS).toNanos());
                        if (due == 0) {
                            busy.incrementAndGet();
                        } else {
                            times.add(System.currentTimeMillis() - due);
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
            await().until(() -> times.size() == ROUNDS * KEYS);
            long millis = System.currentTimeMillis() - start;
            List<Long> sorted = new ArrayList<>(times);
            Collections.sort(sorted);
            return new Measured(sorted, busy.get(), millis);
        }
    }
}
