package io.delayqueue.test.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The calls of a store whose replies a test awaits. */
class PollsTests {

    private final Polls polls = new Polls();

    private MessageStore store(ScriptRunner scripts) {
        KeySpace keySpace = new KeySpace("polls");
        return polls.store(
                scripts, counted -> new RedisMessageStore(counted, keySpace, new TopicRegistry(counted, keySpace)));
    }

    @Test
    void callThatThrowsHasEnded() {
        MessageStore store = store(call -> {
            throw new IllegalStateException("not sent");
        });
        assertThat(store.count(Shard.single("orders"))).isCompletedExceptionally();
        assertTimeoutPreemptively(Duration.ofSeconds(10), polls::awaitReplies);
    }

    @Test
    void callWithoutAReplyIsNamedOnce() {
        CompletableFuture<?> unused = store(call -> new CompletableFuture<>()).count(Shard.single("orders"));
        polls.timeout(Duration.ofMillis(1));
        assertThatIllegalStateException()
                .isThrownBy(polls::awaitReplies)
                .withMessageContainingAll("no reply after 1 ms", "delayqueue-test.timeout", "script register");
        polls.awaitReplies();
    }

    @Test
    void interruptEndsTheWait() {
        CompletableFuture<?> unused = store(call -> new CompletableFuture<>()).count(Shard.single("orders"));
        Thread.currentThread().interrupt();
        assertThatIllegalStateException().isThrownBy(polls::awaitReplies).withMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }
}
