package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a handler, an interceptor or a retry policy does to its thread does not reach the thread's next message. */
class HandlerThreadTests extends NodeTest {

    private static final ListenerOptions ONE_BY_ONE = ListenerOptions.DEFAULTS.toBuilder()
            .concurrency(1)
            .maxAttempts(2)
            .retryPolicy(failed -> {
                disturb();
                return new RetryAfter(Duration.ZERO);
            })
            .build();

    private final List<String> seen = new CopyOnWriteArrayList<>();

    HandlerThreadTests(RedisServerProcess redis) {
        super(redis);
    }

    /** The state of the calling thread. */
    private static String state() {
        Thread thread = Thread.currentThread();
        return thread.getName() + " " + thread.getPriority() + " " + thread.isInterrupted() + " "
                + thread.getContextClassLoader();
    }

    private static void disturb() {
        Thread thread = Thread.currentThread();
        thread.setName("renamed");
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.setContextClassLoader(null);
        thread.interrupt();
    }

    private @Nullable CompletionStage<?> handle(List<Delivery> deliveries) {
        seen.add(state());
        disturb();
        if (deliveries.get(0).id().equals("failing") && deliveries.get(0).attempt() == 1) {
            throw new IllegalStateException("at first");
        }
        return null;
    }

    private void sendAndCheck(QueueNode node, int handled) {
        node.template.sendAll(List.of(
                DelayMessage.to("t").id("a").payload("a").build(),
                DelayMessage.to("t").id("failing").payload("b").build(),
                DelayMessage.to("t").id("z").payload("c").build()));
        node.listen("t", ONE_BY_ONE, this::handle);

        await().until(() -> seen.size() == handled);
        assertThat(seen)
                .allSatisfy(state -> assertThat(state)
                        .doesNotContain("renamed")
                        .doesNotEndWith("null")
                        .contains(" " + Thread.NORM_PRIORITY + " false "));
    }

    @Test
    void handlerOnAThreadOfTheEngine() {
        sendAndCheck(add(QueueNode.on(redis.port())), 4);
    }

    @Test
    void handlerOnAThreadOfTheApplication() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            sendAndCheck(add(QueueNode.on(redis.port()).handlers(executor)), 4);

            String afterwards = executor.submit(HandlerThreadTests::state).get();
            assertThat(seen).contains(afterwards);
        } finally {
            executor.shutdown();
        }
    }
}
