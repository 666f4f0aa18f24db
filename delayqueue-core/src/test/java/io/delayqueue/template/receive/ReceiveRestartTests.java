package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.Direction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The real outages behind {@link ReceiveOutageTests}: Redis restarts, or does not reply. */
@Tag("long")
@Tag("core")
@EmbeddedRedis(dedicated = true)
class ReceiveRestartTests extends ReceiveTest {

    @Override
    protected Duration commandTimeout() {
        return Duration.ofSeconds(2);
    }

    @Test
    void aReceiverThatWaitsThroughARestartOfRedisIsServedAfterIt() {
        queue.topics().shards("orders").join();
        server.stop();
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        await().until(() -> tasks.calls() > 4);
        server.restart();
        await().ignoreExceptions().until(() -> {
            template.send("orders", "p");
            return true;
        });

        assertThat(join(waiting)).hasSize(1);
    }

    @Test
    void callsWithoutReplyAreRepeated() {
        LeasedDelivery delivery = delivered("a");
        queue.proxy().blackHole(Direction.SERVER_TO_CLIENT);
        CompletableFuture<Boolean> acknowledged = delivery.acknowledge();
        assertThatThrownBy(() -> receiveNow(1)).isInstanceOf(DelayQueueUnavailableException.class);
        assertThat(acknowledged).isNotDone();
        queue.proxy().pass();
        queue.proxy().disconnect();

        assertThat(join(acknowledged)).isTrue();
        assertThat(receiveNow(1)).isEmpty();
    }
}
