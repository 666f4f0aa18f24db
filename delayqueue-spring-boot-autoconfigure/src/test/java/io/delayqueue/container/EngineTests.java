package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EngineTests {

    private static RedisServerProcess redis;
    private QueueNode node;

    @BeforeAll
    static void startRedis() {
        redis = RedisServerProcess.builder().start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void startNode() {
        redis.command("FLUSHALL");
        node = new QueueNode(redis.port(), EngineSettings.DEFAULTS);
    }

    @AfterEach
    void stopNode() {
        node.close();
    }

    @Test
    void dueMessageIsHandled() throws Exception {
        CountDownLatch handled = new CountDownLatch(1);
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
            System.out.println("late "
                    + (System.currentTimeMillis() - deliveries.get(0).dueAt().toEpochMilli()));
            handled.countDown();
            return null;
        });
        node.template.send("t", "hello", Duration.ofMillis(500));
        assertThat(handled.await(10, TimeUnit.SECONDS)).isTrue();
        await().untilAsserted(() ->
                assertThat(node.store.count(Shard.single("t")).leased()).isZero());
    }

    @Test
    void manyAreEachHandledOnce() throws Exception {
        int count = 20_000;
        Set<String> seen = ConcurrentHashMap.newKeySet();
        CountDownLatch handled = new CountDownLatch(count);
        List<DelayMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(DelayMessage.to("t").id("m" + i).payload("p" + i).build());
        }
        node.template.sendAll(messages);
        long start = System.nanoTime();
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
            deliveries.forEach(d -> {
                if (seen.add(d.id())) {
                    handled.countDown();
                }
            });
            return null;
        });
        assertThat(handled.await(60, TimeUnit.SECONDS)).isTrue();
        System.out.println("drained in ms " + (System.nanoTime() - start) / 1_000_000);
        await().untilAsserted(() ->
                assertThat(node.store.count(Shard.single("t")).leased()).isZero());
        System.out.println(redis.command("INFO", "commandstats"));
    }
}
