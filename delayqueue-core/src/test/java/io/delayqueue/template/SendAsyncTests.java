package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.test.redis.Direction;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SendAsyncTests extends RedisTest {

    @Test
    void theFutureCompletesOnTheConfiguredExecutor() {
        List<Runnable> ends = new CopyOnWriteArrayList<>();
        CompletableFuture<Success> sent =
                queue.templateBuilder().completions(ends::add).build().sendAsync("orders", "hello");

        await().until(() -> ends.size() == 1);
        assertThat(sent).isNotDone();
        ends.get(0).run();
        assertThat(sent).isCompleted();
    }

    @Test
    void theFutureEndsAlsoWhenItsExecutorIsClosed() {
        Executor closed = task -> {
            throw new RejectedExecutionException();
        };
        assertThat(queue.templateBuilder().completions(closed).build().sendAsync("orders", "hello"))
                .succeedsWithin(60, TimeUnit.SECONDS);
    }

    @Test
    void itFailsWithTheExceptionsOfSend() {
        DelayMessage message = DelayMessage.to("orders").id("4711").payload("a").build();
        queue.template().send(message);

        assertThat(queue.template().sendAsync(message))
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(DuplicateMessageException.class);
        CompletableFuture<Success> rejected = queue.template()
                .sendAsync(
                        DelayMessage.to("orders").payload(new byte[2_000_000]).build());
        assertThat(rejected).isCompletedExceptionally();
        assertThatThrownBy(rejected::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(MessageRejectedException.class);
    }

    @Test
    void theCallerIsNotBlockedWhileRedisDoesNotReply() {
        queue.open("orders");
        CompletableFuture<Void> replies = queue.faults.holdReplies();

        CompletableFuture<Success> known = queue.template().sendAsync("orders", "hello");
        CompletableFuture<Success> unknownTopic = queue.template().sendAsync("parcels", "hello");

        assertThat(known).isNotDone();
        assertThat(unknownTopic).isNotDone();
        replies.complete(null);
        assertThat(known.join()).isInstanceOf(Accepted.class);
        assertThat(unknownTopic.join()).isInstanceOf(Accepted.class);
    }

    @Test
    void theCallerIsNotBlockedIfRedisIsUnavailableFromTheStart() {
        queue.proxy.blackHole(Direction.CLIENT_TO_SERVER);

        CompletableFuture<Success> sent = queue.template().sendAsync("orders", "hello");

        assertThat(sent).isNotDone();
        await().until(() -> {
            queue.proxy.disconnect();
            return sent.isDone();
        });
        assertThatThrownBy(sent::join).hasCauseInstanceOf(MessageRejectedException.class);
    }
}
