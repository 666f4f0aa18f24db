package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.template.DelayQueueUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReceiveOutageTests extends ReceiveTest {

    @BeforeEach
    void poll() {
        queue.topics.shards("orders").join();
        receiveNow(1);
    }

    @Test
    void receivingWithoutWaitFailsIfRedisIsUnavailable() {
        queue.faults.loseRequests();

        assertThatThrownBy(() -> receiveNow(1)).isInstanceOf(DelayQueueUnavailableException.class);
    }

    @Test
    void aWaitThatTimesOutInAnOutageFails() {
        queue.faults.loseRequests();
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        awaitRetry();
        assertThat(waiting).isNotDone();

        pass(LONG);

        assertThatThrownBy(() -> join(waiting))
                .hasCauseInstanceOf(DelayQueueUnavailableException.class)
                .hasMessageContaining("orders");
    }

    @Test
    void aReceiverThatWaitsThroughAnOutageIsServedAfterIt() {
        queue.faults.refuse();
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        awaitRetry();
        queue.faults.pass();

        send("a", Duration.ZERO);

        assertThat(ids(waiting)).containsExactly("a");
    }

    @Test
    void aReceiverSleepsAfterTheCallForANewerReceiverHasFailed() {
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        awaitAsleep();
        queue.faults.loseRequests();
        assertThatThrownBy(() -> receiveNow(1)).isInstanceOf(DelayQueueUnavailableException.class);
        int calls = tasks.calls();
        queue.faults.pass();

        send("a", Duration.ZERO);

        assertThat(join(waiting)).hasSize(1);
        assertThat(tasks.calls() - calls).isLessThan(100);
    }

    @Test
    void messagesOfAClaimWithoutReplyAreDelivered() {
        send("a", Duration.ZERO);
        queue.faults.loseReplies("poll");
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        await().until(() -> counts().leased() == 1);
        queue.faults.pass();

        LeasedDelivery delivery = join(waiting).get(0);

        assertThat(delivery.attempt()).isEqualTo(1);
        assertThat(join(delivery.acknowledge())).isTrue();
    }

    @Test
    void aClaimWithoutReplyIsReleasedIfItsReceiverIsCancelled() {
        send("a", Duration.ZERO);
        queue.faults.loseReplies("poll");
        assertThatThrownBy(() -> receiveNow(1)).isInstanceOf(DelayQueueUnavailableException.class);
        assertThat(counts().leased()).isEqualTo(1);
        queue.faults.pass();

        await().until(() -> counts().ready() == 1);
        awaitNoTasks();
        assertThat(receiveOne().attempt()).isEqualTo(1);
    }

    @Test
    void aSettlementWithoutReplyIsRepeatedUnchanged() {
        LeasedDelivery delivery = delivered("a");
        queue.faults.loseReplies("poll");

        CompletableFuture<Boolean> acknowledged = delivery.acknowledge();
        await().until(() -> counts().leased() == 0);
        assertThat(acknowledged).isNotDone();
        queue.faults.pass();

        assertThat(join(acknowledged)).isTrue();
        awaitNoTasks();
    }

    @Test
    void aSettlementWithoutReplyFailsWhenTheReceiverIsClosed() {
        LeasedDelivery delivery = delivered("a");
        queue.faults.loseRequests("poll");
        CompletableFuture<Boolean> acknowledged = delivery.acknowledge();
        await().until(() -> tasks.scheduled() > 0);

        receiver.close();

        await().until(acknowledged::isDone);
        assertThat(acknowledged).isCompletedExceptionally();
    }

    /** Waits until another call has failed. */
    private void awaitRetry() {
        int calls = queue.calls();
        await().until(() -> {
            pass(Duration.ofSeconds(1));
            return queue.calls() > calls;
        });
    }
}
