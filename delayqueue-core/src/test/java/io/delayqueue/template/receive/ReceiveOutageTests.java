package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.QueueOnRedis;
import io.delayqueue.test.redis.Direction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReceiveOutageTests extends ReceiveTest {

    @Override
    protected Duration commandTimeout() {
        return QueueOnRedis.SHORT_COMMAND_TIMEOUT;
    }

    @BeforeEach
    void registerTopic() {
        queue.topics().shards("orders").join();
    }

    @Test
    void receivingWithoutWaitFailsIfRedisIsUnavailable() {
        receiveNow(1);
        queue.proxy().blackHole(Direction.CLIENT_TO_SERVER);

        assertThatThrownBy(() -> receiveNow(1)).isInstanceOf(DelayQueueUnavailableException.class);
    }

    @Test
    void aWaitThatTimesOutInAnOutageFails() {
        receiveNow(1);
        queue.proxy().blackHole(Direction.CLIENT_TO_SERVER);

        assertThatThrownBy(() -> receiver.receive("orders", 1, Duration.ofSeconds(2), LEASE))
                .isInstanceOf(DelayQueueUnavailableException.class)
                .hasMessageContaining("orders");
    }

    @Test
    void aReceiverThatWaitsThroughAnOutageIsServedAfterIt() {
        send("a", Duration.ofMillis(1));
        server.stop();
        CompletableFuture<List<LeasedDelivery>> waiting = receiver.receiveAsync("orders", 1, LONG, LEASE);
        await().until(() -> tasks.calls() > 4);
        server.restart();

        send("b", Duration.ZERO);

        assertThat(join(waiting)).hasSize(1);
    }

    @Test
    void aReceiverSleepsAfterTheCallForANewerReceiverHasFailed() {
        CompletableFuture<List<LeasedDelivery>> waiting = receiver.receiveAsync("orders", 1, LONG, LEASE);
        awaitAsleep();
        queue.proxy().blackHole(Direction.CLIENT_TO_SERVER);
        assertThatThrownBy(() -> receiveNow(1)).isInstanceOf(DelayQueueUnavailableException.class);
        int calls = tasks.calls();
        queue.proxy().pass();
        queue.proxy().disconnect();

        send("a", Duration.ZERO);

        assertThat(join(waiting)).hasSize(1);
        assertThat(tasks.calls() - calls).isLessThan(100);
    }

    @Test
    void messagesOfAClaimWithoutReplyAreDelivered() {
        receiveNow(1);
        send("a", Duration.ZERO);
        queue.proxy().blackHole(Direction.SERVER_TO_CLIENT);
        CompletableFuture<List<LeasedDelivery>> waiting = receiver.receiveAsync("orders", 1, LONG, LEASE);
        await().until(() -> countsElsewhere().leased() == 1);
        queue.proxy().pass();
        queue.proxy().disconnect();

        LeasedDelivery delivery = join(waiting).get(0);

        assertThat(delivery.attempt()).isEqualTo(1);
        assertThat(join(delivery.acknowledge())).isTrue();
    }

    @Test
    void aClaimWithoutReplyIsReleasedIfItsReceiverIsCancelled() {
        receiveNow(1);
        send("a", Duration.ZERO);
        queue.proxy().blackHole(Direction.SERVER_TO_CLIENT);
        assertThatThrownBy(() -> receiveNow(1)).isInstanceOf(DelayQueueUnavailableException.class);
        queue.proxy().pass();
        queue.proxy().disconnect();

        await().until(() -> countsElsewhere().ready() == 1);
        await().until(() -> tasks.scheduled() == 0);
        assertThat(receiveOne().attempt()).isEqualTo(1);
    }

    @Test
    void aSettlementWithoutReplyIsRepeatedUnchanged() {
        send("a", Duration.ZERO);
        LeasedDelivery delivery = receiveOne();
        queue.proxy().blackHole(Direction.SERVER_TO_CLIENT);

        CompletableFuture<Boolean> acknowledged = delivery.acknowledge();
        await().until(() -> countsElsewhere().leased() == 0);
        assertThat(acknowledged).isNotDone();
        queue.proxy().pass();
        queue.proxy().disconnect();

        assertThat(join(acknowledged)).isTrue();
        await().until(() -> tasks.scheduled() == 0);
    }

    @Test
    void aSettlementWithoutReplyFailsWhenTheReceiverIsClosed() {
        send("a", Duration.ZERO);
        LeasedDelivery delivery = receiveOne();
        queue.proxy().refuse();
        CompletableFuture<Boolean> acknowledged = delivery.acknowledge();
        await().until(() -> tasks.scheduled() > 0);

        receiver.close();

        await().until(acknowledged::isDone);
        assertThat(acknowledged).isCompletedExceptionally();
    }

    /** The counts, read by another process without the broken network. */
    private ShardCounts countsElsewhere() {
        try (QueueOnRedis other = new QueueOnRedis(server)) {
            return other.store().awaitCount(Shard.single("orders"));
        }
    }
}
