package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.convert.PayloadConverter;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.RetryDecision;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.QueueKind;
import io.delayqueue.test.redis.RedisServerProcess;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** What code of an application does to a thread of the queue does not reach what the thread does next. */
class HandlerThreadTests extends NodeTest {

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final AtomicInteger batches = new AtomicInteger();
    private final ExecutorService executor = Executors.newSingleThreadExecutor();

    HandlerThreadTests(RedisServerProcess redis) {
        super(redis);
    }

    @AfterEach
    void endExecutor() {
        stopNodes();
        executor.shutdown();
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

    private void lookAndDisturb() {
        seen.add(state());
        disturb();
    }

    private RetryDecision retry() {
        lookAndDisturb();
        return new RetryAfter(Duration.ZERO);
    }

    private ListenerOptions options(int batchSize, int maxAttempts) {
        return ListenerOptions.DEFAULTS.toBuilder()
                .concurrency(1)
                .batchSize(batchSize)
                .maxAttempts(maxAttempts)
                .retryPolicy(failed -> retry())
                .build();
    }

    /** Fails at the first attempt at a message whose id begins with "failing". */
    private @Nullable CompletionStage<?> handle(List<Delivery> deliveries) {
        batches.incrementAndGet();
        lookAndDisturb();
        BatchFailureException failure = new BatchFailureException("at first");
        deliveries.stream()
                .filter(delivery -> delivery.id().startsWith("failing") && delivery.attempt() == 1)
                .forEach(delivery -> failure.failed(delivery.id(), new IllegalStateException()));
        if (!failure.namesNone()) {
            throw failure;
        }
        return null;
    }

    private final class DisturbingConverter implements PayloadConverter {

        @Override
        public byte[] write(Object payload) {
            return new byte[] {(byte) payload};
        }

        @Override
        public Object read(byte[] body, Type type) {
            lookAndDisturb();
            if (body[0] < 0) {
                throw new IllegalStateException("unreadable");
            }
            return body[0];
        }
    }

    private final class DisturbingEvents implements DelayQueueEvents {

        @Override
        public void started(Recipient recipient, String id, int attempt, Duration late) {
            lookAndDisturb();
        }
    }

    /** A node on which all code of the application changes its thread. The interceptor does so when the handler has returned. */
    private QueueNode disturbed(QueueNode.Builder builder) {
        return add(
                builder.converter(new DisturbingConverter()).interceptors((listener, deliveries, next) -> {
                    seen.add(state());
                    try {
                        return next.proceed();
                    } finally {
                        disturb();
                    }
                }),
                new DisturbingEvents());
    }

    private void send(QueueNode node, String... ids) {
        List<DelayMessage> messages = new ArrayList<>();
        for (String id : ids) {
            byte payload = (byte) (id.equals("unreadable") ? -1 : 1);
            messages.add(DelayMessage.to("t").id(id).payload(payload).build());
        }
        node.template.sendAll(messages);
    }

    /**
     * Runs a listener until it has acknowledged the messages. Interceptor and handler run once for each batch. Which of
     * the retried messages come in one batch depends on the polls.
     *
     * @param others expected number of calls of other code of the application
     */
    private void listenUntil(QueueNode node, int batchSize, int acknowledged, int others) {
        ListenerContainer container = node.engine.newContainer(
                new ListenerSpec("l", "t", QueueKind.MESSAGES, options(batchSize, 2), Byte.class, this::handle));
        container.start();
        await().untilAsserted(() -> assertThat(happenings.count("acknowledged")).isEqualTo(acknowledged));
        container.stop().join();
        check(others + 2 * batches.get());
    }

    private void check(int looks) {
        assertThat(seen)
                .hasSize(looks)
                .allSatisfy(state -> assertThat(state)
                        .doesNotContain("renamed")
                        .doesNotEndWith("null")
                        .contains(" " + Thread.NORM_PRIORITY + " false "));
    }

    private void sendAndCheck(QueueNode node) {
        send(node, "a", "failing", "z");
        listenUntil(node, 1, 3, 4 * 2 + 1); // converter and event four times, and the policy
    }

    @Test
    void threadOfTheEngineStaysAsItWas() {
        sendAndCheck(disturbed(driven()));
    }

    @Test
    void threadOfTheApplicationStaysAsItWas() throws Exception {
        sendAndCheck(disturbed(driven().handlers(executor)));

        String afterwards = executor.submit(HandlerThreadTests::state).get();
        assertThat(seen).containsOnly(afterwards);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void virtualThreadStaysAsItWas() {
        sendAndCheck(disturbed(driven().handlers(new VirtualThreadTaskExecutor("virtual-"))));
    }

    @Test
    void retryPolicyOfAMessageDoesNotReachTheRestOfItsBatch() {
        QueueNode node = disturbed(driven().handlers(executor));
        send(node, "a", "failing1", "failing2", "failing3");

        listenUntil(node, 4, 4, 7 * 2 + 3); // four conversions and events, and three again, and three policies
    }

    @Test
    void converterDoesNotReachTheRestOfTheBatch() {
        QueueNode node = disturbed(driven().handlers(executor));
        send(node, "unreadable", "z");

        listenUntil(node, 2, 1, 2 + 1); // two conversions, and the event of the other message
    }

    @Test
    void threadOfASuspectStaysAsItWas() {
        QueueNode node = disturbed(driven().handlers(executor));
        for (String id : List.of("a", "failing", "z")) {
            send(node, id);
            IsolationTests.suspect(redis, node, "t", id);
        }

        listenUntil(node, 1, 3, 4 * 2 + 1);
    }

    @Test
    void threadOfADeadLetterListenerStaysAsItWas() {
        QueueNode node = add(driven().handlers(executor));
        ListenerContainer letters = node.container("t", QueueKind.NOTIFICATIONS, options(1, 2), this::handle);
        letters.start();
        await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notifications") != null);
        node.template.sendAll(List.of(message("t", "a"), message("t", "b")));
        node.listen("t", options(1, 1), deliveries -> {
            throw new IllegalStateException("always");
        });

        await().until(() -> seen.size() == 2);
        check(2);
    }

    @Test
    void threadThatCompletesAStageStaysAsItWas() throws Exception {
        QueueNode node = add(driven());
        CompletableFuture<Object> first = new CompletableFuture<>();
        CompletableFuture<Object> second = new CompletableFuture<>();
        node.template.sendAll(List.of(message("t", "a"), message("t", "b")));
        ListenerOptions both = options(1, 2).toBuilder().concurrency(2).build();
        node.listen("t", both, deliveries -> {
            Delivery delivery = deliveries.get(0);
            return delivery.attempt() > 1 ? null : delivery.id().equals("a") ? first : second;
        });
        await().until(() -> first.getNumberOfDependents() + second.getNumberOfDependents() == 2);

        executor.submit(() -> {
                    String before = state();
                    first.completeExceptionally(new IllegalStateException("at first"));
                    assertThat(state()).isEqualTo(before);
                    Thread.currentThread().interrupt();
                    before = state();
                    second.completeExceptionally(new IllegalStateException("at first"));
                    assertThat(state()).isEqualTo(before);
                })
                .get();
        assertThat(seen).hasSize(2);
    }

    @Test
    void callbackOfASettlementLeavesItsThreadAsItWas() {
        QueueNode node = add(driven().handlers(executor));
        CompletableFuture<Void> called = new CompletableFuture<>();
        node.listen("t", options(1, 1), deliveries -> {
            seen.add(state());
            return deliveries.get(0).acknowledgement().acknowledge().thenRun(() -> {
                disturb();
                called.complete(null);
            });
        });
        node.template.send(message("t", "a"));
        await().until(called::isDone);
        node.template.send(message("t", "b"));

        await().until(() -> seen.size() == 2);
        check(2);
    }
}
