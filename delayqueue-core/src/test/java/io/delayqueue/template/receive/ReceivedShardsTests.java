package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardPlan.OnConflict;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.testing.SystemClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A receiver of a topic with several shards, whose polls the test holds or lets fail. */
class ReceivedShardsTests extends ReceiveTest {

    private static final int SHARDS = 4;

    /** Makes a poll of a shard, or lets it fail. */
    private interface Polls {
        CompletableFuture<Optional<PollReply>> poll(Shard shard, Supplier<CompletableFuture<Optional<PollReply>>> poll);
    }

    private volatile Polls polls = (shard, poll) -> poll.get();
    private DefaultDelayQueueReceiver sharded;

    @Override
    protected ShardPlan plan() {
        return plan(SHARDS);
    }

    private static ShardPlan plan(int shards) {
        return new ShardPlan(Map.of("orders", shards), OnConflict.FAIL);
    }

    @BeforeEach
    void build() {
        queue.topics.shards("orders").join();
        sharded = builder(polled(queue.store), queue.topics).build();
    }

    @AfterEach
    void close() {
        sharded.close();
    }

    @SuppressWarnings("unchecked")
    private MessageStore polled(MessageStore store) {
        return (MessageStore) Proxy.newProxyInstance(
                MessageStore.class.getClassLoader(),
                new Class<?>[] {MessageStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("poll")) {
                        return polls.poll((Shard) arguments[0], () -> {
                            try {
                                return (CompletableFuture<Optional<PollReply>>) method.invoke(store, arguments);
                            } catch (ReflectiveOperationException e) {
                                throw new IllegalStateException(e);
                            }
                        });
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** An id of a shard. */
    private static String id(int shard, int number) {
        return IntStream.range(0, Integer.MAX_VALUE)
                .mapToObj(i -> "m" + i)
                .filter(id -> shardOf(id) == shard)
                .skip(number)
                .findFirst()
                .orElseThrow();
    }

    private static int shardOf(String id) {
        return Shard.of("orders", id, SHARDS).index();
    }

    private CompletableFuture<List<LeasedDelivery>> waitingFor(int max) {
        return sharded.receiveAsync("orders", max, LONG);
    }

    private List<LeasedDelivery> withoutWait() {
        return sharded.receive("orders", 1, Duration.ZERO);
    }

    private static CompletableFuture<Optional<PollReply>> unanswered() {
        return CompletableFuture.failedFuture(new RedisCallException(Kind.UNKNOWN, "no reply in time", null));
    }

    @Test
    void aShardWithASettlementDuringTheClaimOfAnotherIsPolledWhenItsNextMessageIsDue() throws InterruptedException {
        send(id(1, 0), Duration.ZERO);
        LeasedDelivery delivery = join(waitingFor(1)).get(0);
        send(id(1, 1), Duration.ofMinutes(1));
        CompletableFuture<List<LeasedDelivery>> first = waitingFor(1);
        CompletableFuture<List<LeasedDelivery>> second = waitingFor(1);
        awaitAsleep();
        CompletableFuture<Void> released = new CompletableFuture<>();
        CountDownLatch held = new CountDownLatch(1);
        polls = (shard, poll) -> {
            CompletableFuture<Optional<PollReply>> replied = poll.get();
            if (shard.index() != 0) {
                return replied;
            }
            held.countDown();
            return replied.thenCombine(released, (reply, nothing) -> reply);
        };
        send(id(0, 0), Duration.ZERO);
        held.await();
        assertThat(join(delivery.acknowledge())).isTrue();
        released.complete(null);
        assertThat(ids(first)).containsExactly(id(0, 0));
        awaitAsleep();

        pass(Duration.ofMinutes(1));

        assertThat(ids(second)).containsExactly(id(1, 1));
    }

    @Test
    void shardsClaimInTurnEvenIfReceiversSettleAtOnce() {
        int backlog = 20;
        for (int i = 0; i < backlog; i++) {
            send(id(0, i), Duration.ZERO);
        }
        for (int shard = 1; shard < SHARDS; shard++) {
            send(id(shard, 0), Duration.ZERO);
        }
        List<Integer> order = new CopyOnWriteArrayList<>();
        // two leases: one claim does not serve both
        receiveAgainAndAgain(LEASE, order);
        receiveAgainAndAgain(LEASE.plusHours(1), order);
        await().until(() -> order.size() == backlog + SHARDS - 1);

        assertThat(order.subList(0, 3 * SHARDS)).contains(1, 2, 3);
    }

    private void receiveAgainAndAgain(Duration lease, List<Integer> order) {
        CompletableFuture<?> unused = sharded.receiveAsync(
                        ReceiveRequest.from("orders").waitTime(LONG).lease(lease))
                .thenAccept(received -> received.forEach(delivery -> {
                    CompletableFuture<?> acknowledged = delivery.acknowledge();
                    order.add(shardOf(delivery.id()));
                    receiveAgainAndAgain(lease, order);
                }));
    }

    @Test
    void aReceiverWithoutWaitDoesNotWaitForTheTimeoutOfEachShard() {
        assertThat(withoutWait()).isEmpty();
        AtomicInteger sent = new AtomicInteger();
        polls = (shard, poll) -> {
            sent.incrementAndGet();
            return CompletableFuture.supplyAsync(() -> {
                pass(Duration.ofSeconds(5));
                throw new RedisCallException(Kind.UNKNOWN, "no reply in time", null);
            });
        };

        assertThatThrownBy(this::withoutWait).isInstanceOf(DelayQueueUnavailableException.class);

        assertThat(sent).hasValue(1);
    }

    @Test
    void aShardThatRefusesEndsAReceiverWithoutWaitAndTheNextOneBeginsBehindIt() {
        send(id(1, 0), Duration.ZERO);
        polls = (shard, poll) -> shard.index() == 0 ? unanswered() : poll.get();

        assertThatThrownBy(this::withoutWait).isInstanceOf(DelayQueueUnavailableException.class);
        assertThat(withoutWait()).extracting(LeasedDelivery::id).containsExactly(id(1, 0));
    }

    @Test
    void anErrorOfAPollEndsTheWait() {
        polls = (shard, poll) -> CompletableFuture.failedFuture(new NoClassDefFoundError("a class of the codec"));

        assertThatThrownBy(() -> join(waitingFor(1))).hasStackTraceContaining("a class of the codec");
    }

    @Test
    void aSettlementAfterTheReceiverWasClosedDuringABackOffFails() {
        send(id(0, 0), Duration.ZERO);
        send(id(0, 1), Duration.ZERO);
        List<LeasedDelivery> deliveries = join(waitingFor(2));
        awaitAsleep();
        AtomicInteger sent = new AtomicInteger();
        polls = (shard, poll) -> {
            sent.incrementAndGet();
            return unanswered();
        };
        CompletableFuture<Boolean> before = deliveries.get(0).acknowledge();
        await().until(() -> sent.get() > 0);

        sharded.close();
        CompletableFuture<Boolean> after = deliveries.get(1).acknowledge();

        assertThatThrownBy(() -> join(before)).hasCauseInstanceOf(DelayQueueException.class);
        assertThatThrownBy(() -> join(after)).hasCauseInstanceOf(DelayQueueException.class);
    }

    @Test
    void aReplyToTheLookUpDuringTheFirstSettlementOfAShardDoesNotFail() {
        send(id(0, 0), Duration.ZERO);
        LeasedDelivery delivery = receiveOne();
        CompletableFuture<Void> replied = queue.faults.holdReplies("register");
        AtomicBoolean replies = new AtomicBoolean();
        TopicRegistry registry = new TopicRegistry(queue.scripts, queue.keySpace);
        DefaultDelayQueueReceiver settling = builder(queue.store, registry)
                .nanoTime(() -> {
                    // the settlement runs the tasks of the topic, so that the reply to the look-up joins them
                    if (replies.get() && isWithinTasks() && replies.compareAndSet(true, false)) {
                        CompletableFuture.runAsync(() -> replied.complete(null)).join();
                    }
                    return SystemClock.nanos();
                })
                .build();
        CompletableFuture<List<LeasedDelivery>> waiting = settling.receiveAsync("orders", 1, LONG);
        await().until(queue::isCalling);
        queue.faults.pass();
        registry.shards("orders").join();

        replies.set(true);
        assertThat(join(settling.leases().acknowledge(delivery.receipt()))).isTrue();

        assertThat(replies).isFalse();
        send(id(1, 0), Duration.ZERO);
        assertThat(ids(waiting)).containsExactly(id(1, 0));
        settling.close();
    }

    private static boolean isWithinTasks() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.anyMatch(frame -> frame.getDeclaringClass() == SequentialExecutor.class));
    }

    @Test
    void aPollOfAnEndedRegistrationDoesNotEndTheNextOne() {
        TopicRegistry following = new TopicRegistry(queue.scripts, queue.keySpace);
        DefaultDelayQueueReceiver receiving = builder(
                        polled(new RedisMessageStore(queue.scripts, queue.keySpace, following)), following)
                .build();
        send(id(1, 0), Duration.ZERO);
        LeasedDelivery delivery =
                join(receiving.receiveAsync("orders", 1, LONG)).get(0);
        CompletableFuture<Optional<PollReply>> unanswered = new CompletableFuture<>();
        polls = (shard, poll) -> shard.index() == 1 && shard.count() == SHARDS
                ? poll.get().thenCompose(reply -> unanswered)
                : poll.get();
        CompletableFuture<Boolean> acknowledged = delivery.acknowledge();
        await().until(() -> template.find("orders", delivery.id()).isEmpty());
        CompletableFuture<List<LeasedDelivery>> waiting = receiving.receiveAsync("orders", 1, LONG);
        awaitAsleep();
        TopicRegistry five = new TopicRegistry(queue.scripts, queue.keySpace, plan(5));
        new TopicDeletion(queue.scripts, queue.keySpace, five).delete("orders");
        five.shards("orders").join();
        pass(SWEEP);
        await().until(() -> following.shards("orders").join().size() == 5);
        awaitAsleep();
        int calls = queue.calls();

        unanswered.completeExceptionally(new RedisCallException(Kind.UNKNOWN, "no reply in time", null));
        await().until(() -> {
            pass(Duration.ofSeconds(1));
            return acknowledged.isDone();
        });
        awaitAsleep();

        assertThat(acknowledged).isCompletedExceptionally();
        assertThat(queue.calls() - calls)
                .as("neither a look-up nor a poll of the new shards")
                .isZero();
        assertThat(waiting).isNotDone();
        receiving.close();
    }

    @Test
    void aReceiverThatWasClosedDuringItsLookUpConsumesNothing() {
        List<String> consumed = new ArrayList<>();
        DefaultDelayQueueReceiver closing = builder(queue.store, new TopicRegistry(queue.scripts, queue.keySpace))
                .addConsumer(shard -> {
                    consumed.add(shard.topic());
                    return () -> {};
                })
                .build();
        CompletableFuture<Void> replied = queue.faults.holdReplies("register");
        CompletableFuture<List<LeasedDelivery>> waiting = closing.receiveAsync("orders", 1, LONG);
        closing.close();
        assertThat(ids(waiting)).isEmpty();

        replied.complete(null);
        await().until(() -> !queue.isCalling());

        assertThat(consumed).isEmpty();
    }

    @Test
    void aRejectedPollIsNotRepeatedForOverdueLeases() {
        Duration grace = Duration.ofMinutes(5);
        DefaultDelayQueueReceiver graceful = builder(polled(queue.store), queue.topics)
                .settings(new ReceiveSettings(SWEEP, SWEEP, 3, 0, CrashLimits.DEFAULTS, grace))
                .build();
        send(id(0, 0), Duration.ZERO);
        join(graceful.receiveAsync("orders", 1, LONG));
        awaitNoTasks();
        pass(LEASE);
        assertThat(graceful.receive("orders", 1, Duration.ZERO)).isEmpty();
        awaitAsleep();
        AtomicInteger rejected = new AtomicInteger();
        polls = (shard, poll) -> {
            rejected.incrementAndGet();
            return CompletableFuture.supplyAsync(() -> {
                throw new IllegalStateException("a newer format");
            });
        };

        pass(grace);
        awaitNoTasks();

        assertThat(rejected).hasValue(1);
        graceful.close();
    }
}
