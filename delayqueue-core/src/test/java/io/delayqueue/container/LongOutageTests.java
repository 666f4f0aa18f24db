package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.redis.Direction;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The engine recovers in the time that it promises. */
@Tag("long")
@Tag("core")
class LongOutageTests extends OutageTest {

    /** The longest time from the end of an outage to the first delivery, with the tests' margin. */
    private static final Duration PROMISED = Duration.ofSeconds(5).multipliedBy(3);

    private static final Duration SWEEP = Duration.ofSeconds(1);
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);

    /** A sweep and two timeouts, after which a connection is replaced. */
    private static final Duration NOTICED = SWEEP.plus(COMMAND_TIMEOUT.multipliedBy(2));

    private static final Duration LONGER_THAN_ANY_TIME_OUT = Duration.ofSeconds(3);

    private QueueNode working() {
        return working(behindProxy());
    }

    private QueueNode behindProxy() {
        return behindProxy(EngineSettings.DEFAULTS.sweep());
    }

    private QueueNode behindProxy(Duration sweep) {
        return start(QueueNode.on(proxy.port())
                .commandTimeout(COMMAND_TIMEOUT)
                .settings(Pacing.builtIn().sweep(sweep).settings()));
    }

    private void assertRecovers(String fault) {
        assertRecovers(fault, PROMISED);
    }

    private void assertRecovers(String fault, Duration promised) {
        long answers = System.nanoTime();
        deliver(sender(), "after");
        Duration took = Duration.ofNanos(System.nanoTime() - answers);
        System.out.println("first delivery after " + fault + ": " + took.toMillis() + " ms");
        assertThat(took).isLessThan(promised);
        assertThat(happenings.of("deadLettered")).isEmpty();
    }

    @Test
    void idleConsumersDeliverAgainAfterALongOutage() {
        QueueNode node = working();
        Map<String, CompletableFuture<Boolean>> answers = new ConcurrentHashMap<>();
        Queue<Acknowledgement> held = new ConcurrentLinkedQueue<>();
        node.listen("held", ListenerOptions.DEFAULTS, deliveries -> {
            held.add(deliveries.get(0).acknowledgement());
            return new CompletableFuture<>();
        });
        sender().template.send(DelayMessage.to("held").id("h").payload("").build());
        await().until(() -> held.size() == 1);
        int threads = engineThreads();
        redis.kill();
        answers.put("h", held.remove().acknowledge());
        proxy.traffic().reset();
        log.list.clear();
        await().during(LONGER_THAN_ANY_TIME_OUT).until(() -> !redis.isRunning());
        long attempts = happenings.count("taskFailed");
        System.out.println("failed tasks in an outage of " + LONGER_THAN_ANY_TIME_OUT.toSeconds() + " s: " + attempts
                + " of " + (LISTENERS + 2) + " tasks; connections tried: "
                + proxy.traffic().connections());
        assertThat(attempts).isLessThan((LISTENERS + 2) * (LONGER_THAN_ANY_TIME_OUT.toSeconds() + 2));
        assertQuiet(4);
        redis.restart();
        assertRecovers("an outage longer than any timeout");
        await().until(() -> answers.get("h").isDone());
        assertThat(answers.get("h").join()).isTrue();
        assertThat(engineThreads()).isLessThanOrEqualTo(threads + 1);
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    void halfOpenConnectionsAreReplaced(Direction direction) {
        working(behindProxy(SWEEP));
        proxy.halfOpen(direction);
        assertRecovers("a half-open connection, lost " + direction, NOTICED.multipliedBy(3));
        assertQuiet(4);
    }

    @Test
    void deliveryContinuesAfterTheServerLoaded() {
        // a server that loads replies late
        working(start(QueueNode.on(proxy.port())
                .settings(Pacing.builtIn().sweep(SWEEP).settings())));
        redis.command("EVAL", "for i = 1, 10000 do redis.call('SET', 'filler' .. i, 'x') end", "0");
        redis.kill();
        redis.restart();
        await().until(() -> happenings.of("taskFailed").stream().anyMatch(line -> line.contains("LOADING")));
        assertRecovers("LOADING");
        assertQuiet(4);
    }

    private static int engineThreads() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("delayqueue-task"))
                .count();
    }
}
