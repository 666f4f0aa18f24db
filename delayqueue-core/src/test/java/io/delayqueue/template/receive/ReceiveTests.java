package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;

class ReceiveTests extends ReceiveTest {

    record Order(int number, List<String> items) {}

    @Test
    void aDueMessageIsReceivedAtOnceWithAllItsData() {
        template.send(DelayMessage.to("orders")
                .id("4711")
                .payload(new Order(4711, List.of("tea")))
                .header("tags", "vip")
                .build());

        LeasedDelivery delivery = receiveNow(10).get(0);

        assertThat(delivery.topic()).isEqualTo("orders");
        assertThat(delivery.id()).isEqualTo("4711");
        assertThat(delivery.attempt()).isEqualTo(1);
        assertThat(delivery.headers()).isEqualTo(Map.of("tags", "vip"));
        assertThat(delivery.dueAt()).isEqualTo(delivery.sentAt());
        assertThat(delivery.lastFailure()).isNull();
        assertThat(delivery.body()).asString().isEqualTo("{\"number\":4711,\"items\":[\"tea\"]}");
        assertThat(delivery.payload(Order.class)).isEqualTo(new Order(4711, List.of("tea")));
        assertThat(delivery.payload(new ParameterizedTypeReference<Map<String, Object>>() {}.getType()))
                .isEqualTo(Map.of("number", 4711, "items", List.of("tea")));
        assertThat(delivery.leaseToken()).isNotBlank();
    }

    @Test
    void aMessageMaySetItsOwnLease() {
        template.send(DelayMessage.to("orders")
                .id("a")
                .payload("p")
                .lease(LEASE.multipliedBy(2))
                .build());

        assertThat(receiveNow(1).get(0).leaseLeft()).isGreaterThan(LEASE);
    }

    @Test
    void messagesAreReceivedInDueOrderUpToTheMaximum() {
        sendAll(5);

        assertThat(receiveNow(3)).extracting(LeasedDelivery::id).containsExactly("m0", "m1", "m2");
        assertThat(receiveNow(10)).extracting(LeasedDelivery::id).containsExactly("m3", "m4");
        assertThat(receiveNow(10)).isEmpty();
    }

    @Test
    void aWaitingReceiverIsWokenByASend() {
        queue.topics.shards("orders").join();
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        awaitAsleep();
        assertThat(waiting).isNotDone();

        send("a", Duration.ZERO);

        assertThat(join(waiting)).extracting(LeasedDelivery::id).containsExactly("a");
    }

    @Test
    void aWaitingReceiverReceivesAMessageWhenDueAndNeverEarlier() {
        send("a", Duration.ofHours(1));
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        awaitAsleep();
        pass(Duration.ofMinutes(50));
        awaitAsleep();
        assertThat(waiting).isNotDone();

        pass(Duration.ofMinutes(10));

        assertThat(join(waiting)).hasSize(1);
        assertThat(found("a").leaseEnd())
                .isAfterOrEqualTo(join(waiting).get(0).dueAt().plus(LEASE));
    }

    @Test
    void withoutSignalsTheSweepFindsTheMessage() {
        signals.stop();
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        awaitAsleep();
        send("a", Duration.ZERO);
        assertThat(waiting).isNotDone();

        pass(SWEEP);

        assertThat(join(waiting)).hasSize(1);
    }

    @Test
    void aWaitThatTimesOutEndsEmpty() {
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        awaitAsleep();
        assertThat(waiting).isNotDone();

        pass(LONG);

        assertThat(join(waiting)).isEmpty();
        awaitNoTasks();
    }

    @Test
    void eachReceiverGetsItsOwnLease() {
        CompletableFuture<List<LeasedDelivery>> usual = waiting(1);
        CompletableFuture<List<LeasedDelivery>> longer = receiver.receiveAsync(
                ReceiveRequest.from("orders").waitTime(LONG).lease(LEASE.multipliedBy(10)));
        awaitAsleep();

        sendAll(2);

        assertThat(join(usual).get(0).leaseLeft()).isLessThanOrEqualTo(LEASE);
        assertThat(join(longer).get(0).leaseLeft()).isGreaterThan(LEASE.multipliedBy(5));
        assertThat(counts().leased()).isEqualTo(2);
    }

    @Test
    void waitingReceiversHoldNoThreadAndNoConnection() {
        queue.topics.shards("orders").join();
        receiveNow(1);
        awaitAsleep();
        int threads = Thread.activeCount();
        int connections = queue.proxy.openConnections();
        List<CompletableFuture<List<LeasedDelivery>>> waiting =
                IntStream.range(0, 500).mapToObj(i -> waiting(1)).toList();
        awaitAsleep();

        // other threads of this process may start and end meanwhile
        await().until(() -> Thread.activeCount() <= threads + 2);
        assertThat(queue.proxy.openConnections()).isEqualTo(connections);
        assertThat(tasks.scheduled()).isEqualTo(1);

        sendAll(500);
        List<String> ids = waiting.stream()
                .flatMap(future -> join(future).stream())
                .map(LeasedDelivery::id)
                .toList();
        assertThat(ids).hasSize(500).doesNotHaveDuplicates();
        awaitNoTasks();
    }

    @Test
    void withoutWaitingReceiversThereIsNoTaskAndNoCommand() {
        queue.topics.shards("orders").join();
        receiveNow(1);
        awaitNoTasks();
        int calls = queue.calls();
        int tasksRun = tasks.calls();

        send("a", Duration.ZERO);

        assertThat(queue.calls() - calls).isEqualTo(1);
        assertThat(tasks.calls()).isEqualTo(tasksRun);
    }

    @Test
    void messagesClaimedForACancelledReceiverAreReleased() {
        send("a", Duration.ZERO);
        CompletableFuture<Void> replies = queue.faults.holdReplies("poll");
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        await().until(() -> found("a").state() == MessageState.LEASED);
        waiting.cancel(false);
        replies.complete(null);

        await().until(() -> found("a").state() == MessageState.READY);
        assertThat(receiveOne().attempt()).isEqualTo(1);
    }

    @Test
    void anInterruptEndsTheWaitAndClaimsNothing() throws InterruptedException {
        List<Boolean> interrupted = new ArrayList<>();
        Thread thread = new Thread(() -> {
            List<LeasedDelivery> none = receiver.receive("orders", 1, LONG);
            interrupted.add(none.isEmpty() && Thread.currentThread().isInterrupted());
        });
        thread.start();
        awaitAsleep();

        thread.interrupt();
        thread.join();

        assertThat(interrupted).containsExactly(true);
    }

    @Test
    void onlyUnreadableMessagesDoNotEndTheWait() {
        send("a", Duration.ZERO);
        String messages = new String(queue.keySpace.of(Shard.single("orders")).messages(), StandardCharsets.UTF_8);
        server.command("HSET", messages, "a", "nonsense");
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        await().until(() -> counts().dead() == 1);
        assertThat(waiting).isNotDone();

        send("b", Duration.ZERO);

        assertThat(join(waiting)).extracting(LeasedDelivery::id).containsExactly("b");
    }

    @Test
    void leaseIsThatOfTheMessageThenOfTheRequestThenOfTheTopic() {
        template.send(DelayMessage.to("orders")
                .id("own")
                .payload("p")
                .lease(Duration.ofHours(6))
                .build());
        ReceiveRequest request = ReceiveRequest.from("orders");
        LeasedDelivery own =
                receiver.receive(request.lease(Duration.ofHours(4))).get(0);
        send("requested", Duration.ZERO);
        LeasedDelivery requested =
                receiver.receive(request.lease(Duration.ofHours(4))).get(0);
        send("default", Duration.ZERO);
        LeasedDelivery ofTopic = receiver.receive(request).get(0);

        assertThat(List.of(own, requested, ofTopic))
                .extracting(delivery -> delivery.leaseLeft().plusHours(1).toHours())
                .containsExactly(6L, 4L, 1L);
    }

    @Test
    void rangesAreChecked() {
        assertThatThrownBy(() -> receiver.receive(" ", 1, LONG)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> receiver.receive("t", 0, LONG)).hasMessageContaining("max");
        assertThatThrownBy(() -> receiver.receive("t", 501, LONG)).hasMessageContaining("max");
        assertThatThrownBy(() -> receiver.receive("t", 1, Duration.ofMillis(-1)))
                .hasMessageContaining("waitTime");
        assertThatThrownBy(() -> ReceiveRequest.from("t").lease(Duration.ofMillis(999)))
                .hasMessageContaining("lease");
    }

    @Test
    void closingTheReceiverEndsWaitsEmpty() {
        CompletableFuture<List<LeasedDelivery>> waiting = waiting(1);
        awaitAsleep();

        receiver.close();

        assertThat(join(waiting)).isEmpty();
        assertThat(tasks.scheduled()).isZero();
        assertThatThrownBy(() -> receiver.receiveAsync("orders", 1, LONG)).isInstanceOf(IllegalStateException.class);
    }
}
