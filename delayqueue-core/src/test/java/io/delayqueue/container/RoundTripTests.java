package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The number of commands that the queue sends, counted by a proxy. */
@EmbeddedRedis(dedicated = true)
class RoundTripTests extends NodeTest {

    private final FaultProxy proxy;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    RoundTripTests(RedisServerProcess redis) {
        super(redis);
        proxy = FaultProxy.inFrontOf(redis);
    }

    @AfterEach
    void close() {
        stopNodes();
        proxy.close();
    }

    private ScriptRunner counted(ScriptRunner real) {
        return call -> {
            begun.incrementAndGet();
            CompletableFuture<List<Object>> result = new CompletableFuture<>();
            CompletableFuture<?> unused = real.run(call).whenComplete((reply, failure) -> {
                if (failure == null) {
                    result.complete(reply); // wakes tasks
                } else {
                    result.completeExceptionally(failure);
                }
                ended.incrementAndGet();
            });
            return result;
        };
    }

    /** Waits until all calls have their replies, and no task is due: the reply to a heartbeat may cause a poll. */
    private void awaitCalls() {
        await().until(() -> {
            int before = begun.get();
            boolean replied = ended.get() == before;
            time.awaitTasks();
            return replied && begun.get() == before;
        });
    }

    @Test
    void loneMessageCostsOneSendOneClaimAndOneSettle() {
        // long before the next sweep and heartbeat, which come nearer while a busy machine warms up
        Duration delay = Duration.ofSeconds(1);
        QueueNode node = add(QueueNode.on(proxy.port())
                .settings(Pacing.quiet().settings())
                .scripts(real -> counted(clock.over(real)))
                .time(time));
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
        node.template.send("t", "warms up");
        await().until(() -> happenings.count("acknowledged") == 1 && node.signals.confirmed());
        // the heartbeat that a further listener causes at once
        await().until(() -> node.directory.read().nodes().stream()
                .anyMatch(member -> member.assignable().contains("t")));
        awaitCalls();

        proxy.traffic().reset();
        node.template.send("t", "hello", delay);
        time.awaitTasks();
        time.jump(delay.plusSeconds(1));
        await().until(() -> happenings.count("acknowledged") == 2);
        for (int i = 3; i <= 6; i++) {
            int expected = i;
            node.template.send("t", "hello");
            await().until(() -> happenings.count("acknowledged") == expected);
        }

        assertThat(proxy.traffic().requestsByName()).isEqualTo(Map.of("EVALSHA", 3L * 5));
    }

    @Test
    void busyBacklogCostsATenthOfARoundTripPerMessageAtMost() {
        int count = 5_000;
        QueueNode node = add(QueueNode.on(proxy.port()));
        List<DelayMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(DelayMessage.to("t").id("m" + i).payload("p" + i).build());
        }
        node.template.sendAll(messages);
        proxy.traffic().reset();
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
        await().until(() -> happenings.count("acknowledged") == count);

        double perMessage = (double) proxy.traffic().roundTrips() / count;
        System.out.println("round trips per message of a busy backlog: " + perMessage);
        assertThat(perMessage).isLessThan(0.1);
        assertThat(happenings.count("started")).isEqualTo(count);
        assertThat(Await.result(node.store.count(Shard.single("t"))).counts().leased())
                .isZero();
    }
}
