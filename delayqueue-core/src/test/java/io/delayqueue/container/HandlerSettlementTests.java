package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.listener.Acknowledgement;
import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Settlements by handlers: of single deliveries, of batches and asynchronous, with interceptors. */
class HandlerSettlementTests extends HandlingTest {

    HandlerSettlementTests(RedisServerProcess redis) {
        super(redis);
    }

    @Test
    void handlerMaySettleItself() {
        Queue<Boolean> told = new ConcurrentLinkedQueue<>();
        listen(QUICK, deliveries -> {
            Delivery delivery = deliveries.get(0);
            Acknowledgement answer = delivery.acknowledgement();
            if (delivery.attempt() == 2) {
                told.add(answer.acknowledge().get(60, TimeUnit.SECONDS));
                return null;
            }
            CompletableFuture<Boolean> accepted = switch (delivery.id()) {
                case "again" -> answer.retry(Duration.ofMillis(20));
                case "no use" -> answer.deadLetter("no use");
                default -> answer.acknowledge();
            };
            told.add(accepted.get(60, TimeUnit.SECONDS));
            return null;
        });
        send("again", "no use", "done");
        await("acknowledged again 2");
        await("acknowledged done 1");
        await("deadLettered no use REQUESTED");
        Awaitility.await().until(() -> told.size() == 4);
        assertThat(told).containsOnly(true);
        DeadLetter deadLetter = deadLetterOf("no use");
        assertThat(deadLetter.cause()).isEqualTo(DeadLetterCause.REQUESTED);
        assertThat(deadLetter.failure().message()).isEqualTo("no use");
    }

    @Test
    void firstSettlementCounts() {
        Queue<Boolean> told = new ConcurrentLinkedQueue<>();
        listen(QUICK, deliveries -> {
            Acknowledgement answer = deliveries.get(0).acknowledgement();
            CompletableFuture<Boolean> first = answer.acknowledge();
            CompletableFuture<Boolean> second = answer.deadLetter("too late");
            told.add(first.get(60, TimeUnit.SECONDS));
            told.add(second.get(60, TimeUnit.SECONDS));
            assertThat(answer.extendLease(Duration.ofMinutes(1)).get(60, TimeUnit.SECONDS))
                    .isFalse();
            throw new IllegalStateException("too late, too");
        });
        send("m");
        await("acknowledged m 1");
        Awaitility.await().until(() -> told.size() == 2);
        assertThat(told).containsExactly(true, false);
        assertThat(deadLetters()).isEmpty();
        assertThat(happenings.of("retried")).isEmpty();
    }

    @Test
    void retryAfterTheLastAttemptIsADeadLetter() {
        listen(QUICK.toBuilder().maxAttempts(2).build(), deliveries -> {
            assertThat(deliveries.get(0).acknowledgement().retry(Duration.ZERO)).isNotNull();
            return null;
        });
        send("m");
        await("deadLettered m ATTEMPTS_SPENT");
        assertThat(happenings.of("retried")).hasSize(1);
    }

    @Test
    void aPostponedMessageIsHandledAgainWithTheSameAttempt() {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        Queue<Boolean> told = new ConcurrentLinkedQueue<>();
        listen(QUICK.toBuilder().maxAttempts(1).build(), deliveries -> {
            Delivery delivery = deliveries.get(0);
            seen.add(delivery.attempt() + " " + delivery.postponements());
            if (delivery.postponements() < 3) {
                told.add(delivery.acknowledgement()
                        .postpone(Duration.ofMillis(20))
                        .get(60, TimeUnit.SECONDS));
                assertThat(delivery.postponed()).isTrue();
            }
            return null;
        });
        send("m");
        await("acknowledged m 1");
        assertThat(seen).containsExactly("1 0", "1 1", "1 2", "1 3");
        Awaitility.await().until(() -> told.size() == 3);
        assertThat(told).containsOnly(true);
        assertThat(happenings.of("postponed"))
                .containsExactly("postponed m 1 PT0.02S", "postponed m 1 PT0.02S", "postponed m 1 PT0.02S");
    }

    @Test
    void settlementsWithInvalidArgumentsThrowInTheHandler() {
        Queue<Throwable> rejected = new ConcurrentLinkedQueue<>();
        listen(QUICK, deliveries -> {
            Acknowledgement answer = deliveries.get(0).acknowledgement();
            List.<ThrowingCallable>of(
                            () -> answer.retry(Duration.ofMillis(-1)),
                            () -> answer.postpone(Duration.ofMillis(-1)),
                            () -> answer.postpone(Duration.ofDays(3651)),
                            () -> answer.extendLease(Duration.ofMillis(999)),
                            () -> answer.extendLease(Duration.ofDays(1).plusMillis(1)))
                    .forEach(wrong -> rejected.add(catchThrowable(wrong)));
            return null;
        });
        send("m");
        await("acknowledged m 1");
        assertThat(rejected).hasSize(5).hasOnlyElementsOfType(IllegalArgumentException.class);
    }

    @Test
    void blockingDependentOfASettlementBlocksNoTask() {
        CompletableFuture<Object> never = new CompletableFuture<>();
        listen(QUICK.toBuilder().concurrency(16).build(), deliveries -> {
            if (deliveries.get(0).id().startsWith("block")) {
                return deliveries.get(0).acknowledgement().acknowledge().thenRun(never::join);
            }
            return null;
        });
        send("block1", "block2", "block3", "block4", "block5");
        awaitTimes("acknowledged block", 5);
        send("m");
        await("acknowledged m 1");
        never.complete(null);
    }

    @Test
    void batchFailsOnlyTheNamedMessages() {
        listen(QUICK.toBuilder().concurrency(1).batchSize(10).build(), deliveries -> {
            BatchFailureException failure = new BatchFailureException("some");
            for (Delivery delivery : deliveries) {
                if (delivery.id().equals("by id") && delivery.attempt() == 1) {
                    failure.failed("by id", new IllegalStateException("one"));
                } else if (delivery.id().equals("by payload") && delivery.attempt() == 1) {
                    failure.failedPayload(delivery.payload(), new IllegalStateException("two"));
                } else if (delivery.id().startsWith("all") && delivery.attempt() == 1) {
                    throw new BatchFailureException("names none");
                }
            }
            if (!failure.namesNone()) {
                throw failure;
            }
            return null;
        });
        send("fine", "by id", "by payload");
        awaitTimes("acknowledged", 3);
        assertThat(happenings.of("acknowledged"))
                .containsExactlyInAnyOrder("acknowledged fine 1", "acknowledged by id 2", "acknowledged by payload 2");
        send("all1", "all2", "all3");
        awaitTimes("acknowledged all", 3);
        assertThat(happenings.of("acknowledged all")).allMatch(line -> line.endsWith(" 2"));
    }

    @Test
    void interceptorsRunInTheirOrderAlsoAroundAnAsynchronousHandler() {
        Queue<String> order = new ConcurrentLinkedQueue<>();
        with(around("outer", order), around("inner", order));
        CompletableFuture<Object> stage = new CompletableFuture<>();
        listen(QUICK, deliveries -> {
            order.add("handler");
            return stage;
        });
        send("m");
        Awaitility.await().until(() -> order.size() == 3);
        stage.complete(null);
        await("acknowledged m 1");
        assertThat(order).containsExactly("outer begins", "inner begins", "handler", "inner ends", "outer ends");
    }

    private static DeliveryInterceptor around(String name, Queue<String> order) {
        return (listener, deliveries, next) -> {
            order.add(name + " begins");
            return next.proceed().whenComplete((result, failure) -> order.add(name + " ends"));
        };
    }

    @Test
    void failingInterceptorsFailTheAttemptAndFreeTheWorker() {
        AtomicInteger calls = new AtomicInteger();
        with((listener, deliveries, next) -> switch (calls.incrementAndGet()) {
            case 1 -> throw new IllegalStateException("fails");
            case 2 -> null;
            case 3 -> CompletableFuture.failedFuture(new IllegalStateException("fails later"));
            default -> next.proceed();
        });
        listen(QUICK.toBuilder().concurrency(1).maxAttempts(10).build(), deliveries -> null);
        send("m");
        await("acknowledged m 4");
    }

    @Test
    void failingEventListenersDoNoHarm() {
        replace(driven(), new Failing());
        listen(QUICK.toBuilder().concurrency(1).build(), deliveries -> null);
        send("a", "b", "c");
        awaitTimes("acknowledged", 3);
        assertThat(happenings.of("started")).hasSize(3);
    }

    private static final class Failing implements DelayQueueEvents {

        @Override
        public void started(Recipient recipient, String id, int attempt, Duration late) {
            throw new AssertionError("not expected");
        }

        @Override
        public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
            throw new NoClassDefFoundError("metrics");
        }
    }

    @Test
    void payloadIsAvailableAfterConversion() {
        Queue<Object> seen = new ConcurrentLinkedQueue<>();
        listen(QUICK, deliveries -> {
            Delivery delivery = deliveries.get(0);
            seen.add(delivery.payload());
            seen.add(delivery.topic());
            seen.add(delivery.leaseEnd().isAfter(delivery.dueAt()));
            seen.add(delivery.held());
            assertThatThrownBy(() -> delivery.headers().put("a", "b"))
                    .isInstanceOf(UnsupportedOperationException.class);
            return null;
        });
        send("m");
        await("acknowledged m 1");
        assertThat(seen).containsExactly("payload of m", "t", true, true);
    }
}
