package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AsyncByIdTests extends RedisTest {

    private static final Duration LATER = Duration.ofHours(2);

    private void send(String id, long version) {
        queue.template()
                .send(DelayMessage.to("orders")
                        .id(id)
                        .payload("p")
                        .version(version)
                        .delay(Duration.ofHours(1))
                        .build());
    }

    @Test
    void asynchronousFormsHaveTheResultsOfTheBlockingOnes() {
        Instant date = SystemClock.now().plus(LATER).plus(LATER).truncatedTo(ChronoUnit.MILLIS);
        send("a", 1);
        send("b", 7);
        DelayQueueTemplate template = queue.template();
        Instant due = template.find("orders", "a").orElseThrow().dueAt();

        assertThat(join(template.rescheduleAsync("orders", "a", LATER))).isEqualTo(RescheduleOutcome.RESCHEDULED);
        assertThat(join(template.findAsync("orders", "a")).orElseThrow().dueAt())
                .isAfter(due);
        assertThat(join(template.rescheduleAsync("orders", "a", date))).isEqualTo(RescheduleOutcome.RESCHEDULED);
        assertThat(join(template.findAsync("orders", "a")).orElseThrow().dueAt().toEpochMilli())
                .isEqualTo(date.toEpochMilli());
        assertThat(join(template.cancelAsync("orders", "a"))).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(join(template.cancelAsync("orders", "b", 6))).isEqualTo(CancelOutcome.NOT_FOUND);
        assertThat(join(template.cancelAsync("orders", "b", 7))).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(join(template.findAsync("orders", "a"))).isEmpty();
        assertThat(join(template.findAsync("mistyped", "a"))).isEmpty();
        assertThat(queue.recorded.lines()).contains("cancelled orders a", "cancelled orders b");
    }

    @Test
    void futureCompletesOnTheConfiguredExecutor() {
        List<Runnable> ends = new CopyOnWriteArrayList<>();
        CompletableFuture<Optional<MessageSnapshot>> found =
                queue.templateBuilder().completions(ends::add).build().findAsync("orders", "a");

        await().until(() -> ends.size() == 1);
        assertThat(found).isNotDone();
        ends.get(0).run();
        assertThat(found).isCompletedWithValue(Optional.empty());
    }

    @Test
    void callerIsNotBlockedWhileRedisDoesNotReply() {
        send("a", 1);
        CompletableFuture<Void> replies = queue.faults.holdReplies();
        DelayQueueTemplate template = queue.template();

        List<CompletableFuture<?>> calls = List.of(
                template.findAsync("orders", "a"),
                template.rescheduleAsync("orders", "a", LATER),
                template.cancelAsync("orders", "a"),
                template.cancelAsync("unknown", "a"));

        assertThat(calls).noneMatch(CompletableFuture::isDone);
        replies.complete(null);
        calls.forEach(AsyncByIdTests::join);
    }

    @Test
    void futureFailsWithTheExceptionsOfTheBlockingForms() {
        queue.open("orders");
        queue.faults.loseRequests();
        DelayQueueTemplate template = queue.template();

        Stream.of(
                        template.cancelAsync("orders", "4711"),
                        template.cancelAsync("orders", "4711", 1),
                        template.rescheduleAsync("orders", "4711", LATER),
                        template.findAsync("orders", "4711"))
                .forEach(call -> assertThat(call)
                        .failsWithin(60, TimeUnit.SECONDS)
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(DelayQueueUnavailableException.class)
                        .withMessageContaining("message 4711 in topic orders failed"));
        assertThatThrownBy(() -> template.rescheduleAsync("orders", "4711", Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> template.cancelAsync(" ", "4711")).isInstanceOf(IllegalArgumentException.class);
    }

    private static <T> T join(CompletableFuture<T> call) {
        return call.orTimeout(60, TimeUnit.SECONDS).join();
    }
}
