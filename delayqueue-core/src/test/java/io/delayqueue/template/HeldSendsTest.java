package io.delayqueue.template;

import static org.awaitility.Awaitility.await;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;

/** Sends that can be held on their way to Redis. */
abstract class HeldSendsTest extends RedisTest {

    final HeldSends sends = new HeldSends();
    private final List<Thread> threads = new ArrayList<>();

    /** One call of a shard at a time, so that holding it holds up all others. */
    DelayQueueTemplateBuilder builder() {
        return builder(1);
    }

    DelayQueueTemplateBuilder builder(int concurrentCalls) {
        PayloadCodec codec = QueueOnRedis.codec();
        DelayQueueTemplateBuilder builder = DelayQueueTemplate.builder(
                        sends.around(queue.store), queue.topics, codec, InstantSource.system())
                .events(queue.events);
        builder.concurrentCalls = concurrentCalls;
        return builder;
    }

    static DelayMessage message(String id) {
        return DelayMessage.to("orders")
                .id(id)
                .payload("p" + id)
                .delay(Duration.ofHours(1))
                .build();
    }

    long stored() {
        return Await.result(queue.store.count(Shard.single("orders"))).counts().scheduled();
    }

    /** Runs a call on a thread of its own. */
    <T> CompletableFuture<T> thread(Supplier<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(call.get());
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return result;
    }

    /** Sends on a thread of its own and waits until that thread is blocked. */
    CompletableFuture<Success> blocked(DelayQueueTemplate template, String id) {
        CompletableFuture<Success> sent = thread(() -> template.send(message(id)));
        awaitBlocked(threads.get(threads.size() - 1));
        return sent;
    }

    Thread lastThread() {
        return threads.get(threads.size() - 1);
    }

    void awaitAllBlocked() {
        threads.forEach(HeldSendsTest::awaitBlocked);
    }

    private static void awaitBlocked(Thread thread) {
        await().until(() ->
                thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
    }

    @AfterEach
    void interruptThreads() {
        threads.forEach(Thread::interrupt);
    }
}
