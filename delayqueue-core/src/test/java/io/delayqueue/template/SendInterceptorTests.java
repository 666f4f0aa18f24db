package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Rejected;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class SendInterceptorTests extends RedisTest {

    private final List<String> calls = new CopyOnWriteArrayList<>();

    private DelayQueueTemplate template(SendInterceptor... interceptors) {
        return queue.templateBuilder().interceptors(List.of(interceptors)).build();
    }

    private SendInterceptor recording(String name) {
        return (sending, next) -> {
            calls.add(name + " before " + sending.id());
            sending.header(name, sending.topic());
            return next.proceed()
                    .whenComplete((result, failure) ->
                            calls.add(name + " after " + result.getClass().getSimpleName()));
        };
    }

    private static DelayMessage message() {
        return DelayMessage.to("orders")
                .id("4711")
                .payload("p")
                .header("own", "1")
                .build();
    }

    @Test
    void theFirstIsOutermostAndEachMayAddHeaders() {
        DelayQueueTemplate template = template(recording("a"), recording("b"));

        template.send(message());

        assertThat(calls).containsExactly("a before 4711", "b before 4711", "b after Accepted", "a after Accepted");
        assertThat(template.find("orders", "4711")
                        .orElseThrow()
                        .envelope()
                        .headers()
                        .keySet())
                .containsExactly("own", "a", "b");
    }

    @Test
    void interceptorsSeeASendWithoutReplyAsUnknown() {
        DelayQueueTemplate template = template(recording("a"));
        queue.faults.loseReplies("send");

        assertThatThrownBy(() -> template.send(message())).isInstanceOf(OutcomeUnknownException.class);

        assertThat(calls).endsWith("a after Unknown");
    }

    @Test
    void anExceptionBeforeProceedRejectsTheMessage() {
        DelayQueueTemplate template = template((sending, next) -> {
            throw new IllegalStateException("no context");
        });

        assertThatThrownBy(() -> template.send(message()))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("no context");
        assertThat(template.find("orders", "4711")).isEmpty();
    }

    @Test
    void anExceptionAfterProceedDoesNotChangeTheResult() {
        DelayQueueTemplate throwing = template((sending, next) -> {
            next.proceed();
            throw new IllegalStateException("too late");
        });
        DelayQueueTemplate failing = template((sending, next) -> next.proceed().thenApply(result -> {
            throw new IllegalStateException("too late");
        }));

        assertThat(throwing.send("orders", "a")).isInstanceOf(Accepted.class);
        assertThat(failing.send("orders", "b")).isInstanceOf(Accepted.class);
        assertThat(failing.sendAsync("orders", "c").join()).isInstanceOf(Accepted.class);
        assertThat(failing.sendAll(List.of(message()))).hasOnlyElementsOfType(Accepted.class);
    }

    @Test
    void anInterceptorMayReject() {
        DelayQueueTemplate template = template((sending, next) -> CompletableFuture.<SendResult>completedFuture(
                new Rejected(sending.topic(), sending.id(), "not on sundays")));

        assertThatThrownBy(() -> template.send(message()))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("not on sundays");
        assertThatThrownBy(() -> template.sendAll(List.of(message()))).isInstanceOf(BatchSendException.class);
    }

    @Test
    void proceedingTooLateForABatchRejectsInsteadOfWaitingForEver() {
        CountDownLatch stored = new CountDownLatch(1);
        SendInterceptor late = (sending, next) -> sending.id().equals("4711")
                ? CompletableFuture.supplyAsync(() -> {
                            await(stored);
                            return next;
                        })
                        .thenCompose(SendInterceptor.Next::proceed)
                : next.proceed().whenComplete((result, failure) -> stored.countDown());

        BatchSendException failed = catchThrowableOfType(
                BatchSendException.class,
                () -> template(late)
                        .sendAll(List.of(
                                message(), message().toBuilder().id("other").build())));

        assertThat(failed.results().get(0)).isInstanceOf(Rejected.class);
        assertThat(failed).hasMessageContaining("proceeded after its method had returned");
        assertThat(failed.results().get(1)).isInstanceOf(Accepted.class);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void proceedingTwiceSendsOnce() {
        DelayQueueTemplate template = template((sending, next) -> {
            next.proceed();
            return next.proceed();
        });

        assertThat(template.send(message())).isInstanceOf(Accepted.class);
        assertThat(queue.recorded.lines()).containsExactly("sent orders 1");
    }
}
