package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.RawRedis;
import io.delayqueue.testing.ShardLimits;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How much of the time the places of a topic are taken while messages wait, by leases and by handlers of 50 ms. */
@Tag("long")
@Tag("core")
@Tag("alone")
class TakenPlacesTests extends NodeTest {

    private static final Duration HANDLING = Duration.ofMillis(50);
    private static final Duration MEASURED = Duration.ofSeconds(10);

    private final AtomicInteger running = new AtomicInteger();

    TakenPlacesTests(RedisServerProcess redis) {
        super(redis);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 40})
    void placesAreTakenWhileMessagesWait(int places) {
        QueueNode sender = add(QueueNode.on(redis.port()));
        sender.template.send(message("t", "first"));
        redis.command(ShardLimits.command("dq:{t:0.0}:meta", places + " 0 1 0"));
        int messages = 2 * places * (int) MEASURED.dividedBy(HANDLING);
        for (int from = 0; from < messages; from += 500) {
            sender.template.sendAll(IntStream.range(from, from + 500)
                    .mapToObj(i -> message("t", "m" + i))
                    .toList());
        }
        ListenerOptions options =
                ListenerOptions.DEFAULTS.toBuilder().concurrency(places).build();
        for (QueueNode node : List.of(sender, add(QueueNode.on(redis.port())))) {
            node.listen("t", options, deliveries -> {
                running.incrementAndGet();
                LockSupport.parkNanos(HANDLING.toNanos());
                running.decrementAndGet();
                return null;
            });
        }
        await().until(() -> happenings.count("acknowledged") > places);

        long leased = 0;
        long handled = 0;
        long samples = 0;
        try (RawRedis connection = new RawRedis(redis.port())) {
            for (long end = System.nanoTime() + MEASURED.toNanos(); System.nanoTime() < end; samples++) {
                leased += (Long) Objects.requireNonNull(connection.call("ZCARD", "dq:{t:0.0}:leases")) - 1;
                handled += running.get();
                LockSupport.parkNanos(1_000_000);
            }
        }
        double possible = (double) samples * places;
        System.out.printf(
                "%d places: taken %.1f %% of the time by leases, %.1f %% by handlers (%d samples)%n",
                places, 100 * leased / possible, 100 * handled / possible, samples);
        assertThat(leased / possible).isGreaterThan(0.95);
        assertThat(handled / possible).isGreaterThan(0.9);
    }
}
