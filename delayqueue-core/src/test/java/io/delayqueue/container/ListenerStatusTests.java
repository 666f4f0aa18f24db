package io.delayqueue.container;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.delayqueue.coordination.HandlerStack;
import io.delayqueue.coordination.NodeReport;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What a node reports of its listeners with its heartbeats. */
class ListenerStatusTests extends HandlingTest {

    ListenerStatusTests(RedisServerProcess redis) {
        super(redis);
    }

    /** Waits for a heartbeat that reports the node's only listener like this. */
    private ListenerStatus awaitReport(Predicate<ListenerStatus> expected) {
        node.engine.membership.heartbeatNow();
        return Awaitility.await()
                .until(
                        () -> node.directory.read().nodes().stream()
                                .flatMap(each -> each.report().listeners().stream())
                                .filter(expected)
                                .findFirst()
                                .orElse(null),
                        Objects::nonNull);
    }

    @Test
    void failedAttemptsAreReported() {
        listen(QUICK, deliveries -> {
            throw new IllegalStateException("connection refused");
        });
        send("a");
        await("deadLettered a ATTEMPTS_SPENT");
        ListenerStatus status = awaitReport(each -> each.attempts().dead() == 1);
        assertThat(status.id()).isEqualTo("t-0");
        assertThat(status.topic()).isEqualTo("t");
        assertThat(status.state()).isEqualTo(State.RUNNING);
        assertThat(status.attempts().retried()).isEqualTo(2);
        assertThat(status.attempts().succeeded()).isZero();
        assertThat(status.attempts().failure()).isEqualTo("IllegalStateException: connection refused");
        NodeReport report = node.directory.read().nodes().get(0).report();
        assertThat(report.processId()).isEqualTo(ProcessHandle.current().pid());
        assertThat(report.host()).isNotEmpty();
    }

    @Test
    void oldestRunningHandlerIsReported() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> second = new CompletableFuture<>();
        ListenerContainer container = node.listen(
                "t",
                ListenerOptions.DEFAULTS,
                deliveries -> deliveries.get(0).id().equals("a") ? first : second);
        assertThat(container.status().oldest()).isNull();
        send("a");
        await("started a 1");
        send("b");
        await("started b 1");
        ListenerStatus status = container.status();
        assertThat(status.running()).isEqualTo(2);
        assertThat(requireNonNull(status.oldest()).id()).isEqualTo("a");
        assertThat(status.oldest().attempt()).isEqualTo(1);
        assertThat(status.youngest()).isLessThan(status.oldest().time()).isPositive();
        assertThat(status.usual()).isZero();
        first.complete(null);
        await("acknowledged a 1");
        assertThat(requireNonNull(container.status().oldest()).id()).isEqualTo("b");
        second.complete(null);
        await("acknowledged b 1");
        assertThat(container.status().oldest()).isNull();
        assertThat(container.status().youngest()).isZero();
        assertThat(container.status().usual()).isPositive();
    }

    private HandlerStack awaitStack() {
        return Awaitility.await()
                .until(
                        () -> {
                            node.directory.requestStack(node.engine.node(), "t-0");
                            return node.directory.read().nodes().stream()
                                    .flatMap(each ->
                                            Stream.ofNullable(each.report().stack()))
                                    .findFirst()
                                    .orElse(null);
                        },
                        Objects::nonNull);
    }

    @Test
    void stackOfTheOldestHandlerIsReportedOnRequest() {
        CountDownLatch end = new CountDownLatch(1);
        listen(ListenerOptions.DEFAULTS, deliveries -> {
            end.await();
            return null;
        });
        assertThat(awaitReport(status -> true)).isNotNull();
        assertThat(node.directory.read().nodes().get(0).report().stack()).isNull();
        send("a");
        await("started a 1");

        HandlerStack stack = awaitStack();

        assertThat(stack.listener()).isEqualTo("t-0");
        assertThat(requireNonNull(stack.handler()).id()).isEqualTo("a");
        assertThat(stack.frames())
                .hasSizeLessThanOrEqualTo(HandlerStack.MAX_FRAMES)
                .anyMatch(frame -> frame.contains(ListenerStatusTests.class.getName()));
        end.countDown();
        await("acknowledged a 1");
        assertThat(node.directory.requestStack("gone", "t-0")).isFalse();
    }

    @Test
    void asynchronousHandlerHasNoStack() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        listen(ListenerOptions.DEFAULTS, deliveries -> end);
        send("a");
        await("started a 1");
        awaitReport(status -> status.running() == 1);
        HandlerStack stack = awaitStack();
        assertThat(stack.handler()).isNotNull();
        assertThat(stack.frames()).isEmpty();
        end.complete(null);
        await("acknowledged a 1");
    }

    @Test
    void attemptsAreReportedByHeader() {
        replace(driven().countByHeader("tenant"));
        listen(QUICK, deliveries -> null);
        node.template.send(DelayMessage.to("t")
                .id("a")
                .payload("p")
                .header("tenant", "acme")
                .build());
        await("acknowledged a 1");
        ListenerStatus status = awaitReport(each -> !each.byHeader().isEmpty());
        assertThat(status.byHeader()).containsOnly(entry("tenant=acme", Attempts.counted(1, 0, 0)));
    }

    @Test
    void pausedAndStoppedListenersAreReported() {
        ListenerContainer container = node.listen("t", QUICK, deliveries -> null);
        awaitReport(status -> status.state() == State.RUNNING);
        container.pause();
        assertThat(container.status().state()).isEqualTo(State.PAUSED);
        container.stop().orTimeout(10, TimeUnit.SECONDS).join();
        awaitReport(status -> status.state() == State.STOPPED);
    }
}
