package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.listener.Backoff;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.InvalidDeliveryException;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.listener.RetryPolicy;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Failure;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Retries and dead letters after failed attempts. */
class RetryFlowTests extends HandlingTest {

    RetryFlowTests(RedisServerProcess redis) {
        super(redis);
    }

    private static ListenerOptions retriedBy(RetryPolicy policy) {
        return QUICK.toBuilder().retryPolicy(policy).build();
    }

    @Test
    void failureIsRetriedAndItsSummaryIsKept() {
        Queue<String> before = new ConcurrentLinkedQueue<>();
        listen(QUICK, deliveries -> {
            Delivery delivery = deliveries.get(0);
            before.add(delivery.attempt() + " " + delivery.lastFailure());
            if (delivery.attempt() < 3) {
                throw new IOException("line one\nline two");
            }
            return null;
        });
        send("m");
        await("acknowledged m 3");
        assertThat(before)
                .containsExactly(
                        "1 null",
                        "2 java.io.IOException: line one line two",
                        "3 java.io.IOException: line one line two");
        assertThat(happenings.of("retried")).containsExactly("retried m 1 PT0.01S", "retried m 2 PT0.01S");
    }

    @Test
    void attemptsSpentMakeADeadLetterWithTheStack() {
        listen(QUICK, deliveries -> {
            throw new IllegalStateException("always");
        });
        send("m");
        await("deadLettered m ATTEMPTS_SPENT");
        DeadLetter deadLetter = deadLetterOf("m");
        Failure failure = deadLetter.failure();
        assertThat(deadLetter.attempts()).isEqualTo(3);
        assertThat(deadLetter.cause()).isEqualTo(DeadLetterCause.ATTEMPTS_SPENT);
        assertThat(failure.type()).isEqualTo(IllegalStateException.class.getName());
        assertThat(failure.message()).isEqualTo("always");
        assertThat(failure.stack()).contains("RetryFlowTests").hasSizeLessThan(4100);
        assertThat(deadLetter.envelope().payload()).asString().contains("payload of m");
        assertThat(deadLetter.failures()).extracting(Failure.Attempt::attempt).containsExactly(2, 1);
        assertThat(deadLetter.failures()).allSatisfy(attempt -> {
            assertThat(attempt.failure()).isEqualTo("java.lang.IllegalStateException: always");
            assertThat(attempt.node()).isEqualTo(deadLetter.node());
            assertThat(attempt.handling()).isGreaterThanOrEqualTo(Duration.ZERO);
            assertThat(attempt.failedAt()).isBetween(deadLetter.envelope().dueAt(), deadLetter.deadLetteredAt());
        });
    }

    @Test
    void messageIsDeadLetteredAtTheEndOfTheIntervals() {
        List<Duration> intervals = List.of(Duration.ZERO, Duration.ofMillis(5));
        listen(
                QUICK.toBuilder()
                        .retryPolicy(new Backoff.Intervals(intervals))
                        .maxAttempts(100)
                        .build(),
                deliveries -> {
                    throw new IllegalStateException("always");
                });
        send("m");
        await("deadLettered m ATTEMPTS_SPENT");
        assertThat(happenings.of("retried")).containsExactly("retried m 1 PT0S", "retried m 2 PT0.005S");
        assertThat(deadLetterOf("m").attempts()).isEqualTo(3);
    }

    @Test
    void notRetryableExceptionsMatchSubclassesAndCauses() {
        listen(QUICK.toBuilder().notRetryable(List.of(IOException.class)).build(), deliveries -> {
            switch (deliveries.get(0).id()) {
                case "itself" -> throw new IOException("no");
                case "subclass" -> throw new FileNotFoundException("no");
                case "caused" -> throw new CompletionException(new IllegalStateException(new IOException("no")));
                default -> throw new IllegalStateException("yes");
            }
        });
        send("itself", "subclass", "caused", "other");
        awaitTimes("deadLettered", 4);
        assertThat(happenings.of("deadLettered"))
                .containsExactlyInAnyOrder(
                        "deadLettered itself NOT_RETRYABLE",
                        "deadLettered subclass NOT_RETRYABLE",
                        "deadLettered caused NOT_RETRYABLE",
                        "deadLettered other ATTEMPTS_SPENT");
        assertThat(deadLetterOf("caused").attempts()).isEqualTo(1);
        assertThat(deadLetterOf("caused").failure().type()).isEqualTo(IllegalStateException.class.getName());
    }

    @Test
    void unreadableMessageIsDeadLetteredAloneWithoutRetry() {
        listen(QUICK.toBuilder().batchSize(10).build(), deliveries -> {
            if (deliveries.stream().anyMatch(delivery -> delivery.id().equals("invalid"))) {
                throw new InvalidDeliveryException("has no header", null);
            }
            return null;
        });
        redis.command("HSET", "dq:{t:0.0}:messages", "foreign", "not ours");
        redis.command("HSET", "dq:{t:0.0}:messages", "garbled", "1000001000001+x l=abc\n\n\"\"");
        redis.command("ZADD", "dq:{t:0.0}:schedule", "1", "foreign", "1", "garbled");
        redis.command("PUBLISH", "dq:signals", "h t:0.0 1");
        awaitTimes("deadLettered", 2);
        send("fine");
        await("acknowledged fine 1");
        send("invalid");
        await("deadLettered invalid UNREADABLE");
        assertThat(happenings.of("deadLettered"))
                .contains("deadLettered foreign UNREADABLE", "deadLettered garbled UNREADABLE")
                .hasSize(3);
    }

    @Test
    void messageLimitsOverrideListenerLimits() {
        listen(QUICK, deliveries -> {
            throw new IllegalStateException("always");
        });
        node.template.send(
                DelayMessage.to("t").id("own").payload("").maxAttempts(5).build());
        node.template.send(
                DelayMessage.to("t").id("once").payload("").maxAttempts(1).build());
        awaitTimes("deadLettered", 2);
        assertThat(deadLetterOf("own").attempts()).isEqualTo(5);
        assertThat(deadLetterOf("once").attempts()).isEqualTo(1);
    }

    @Test
    void failingRetryPolicyDelaysOnlyItsMessageByAMinute() {
        listen(
                retriedBy(failed -> {
                    switch (failed.delivery().id()) {
                        case "throws" -> throw new IllegalStateException("policy");
                        case "fails" -> throw new StackOverflowError("policy");
                        default -> {
                            return null;
                        }
                    }
                }),
                deliveries -> {
                    if (deliveries.get(0).id().equals("fine")) {
                        return null;
                    }
                    throw new IllegalStateException("handler");
                });
        send("throws", "fails", "decides nothing", "fine");
        awaitTimes("retried", 3);
        await("acknowledged fine 1");
        assertThat(happenings.of("retried")).allMatch(line -> line.endsWith(" 1 PT1M"));
    }

    @Test
    void delayBeyondTheCalendarIsLimited() {
        listen(retriedBy(failed -> new RetryAfter(ChronoUnit.FOREVER.getDuration())), deliveries -> {
            if (deliveries.get(0).id().equals("fine")) {
                return null;
            }
            throw new IllegalStateException("handler");
        });
        send("m");
        await("retried m 1");
        send("fine");
        await("acknowledged fine 1");
        assertThat(node.template.find("t", "m")).isPresent();
    }

    @Test
    void errorsOfAHandlerFailTheAttempt() {
        AtomicInteger calls = new AtomicInteger();
        listen(QUICK, deliveries -> {
            if (calls.incrementAndGet() == 1) {
                throw new StackOverflowError();
            }
            return null;
        });
        send("m");
        await("acknowledged m 2");
    }

    @Test
    void jitterStaysWithinItsBounds() {
        Backoff exponential = new Backoff.Exponential(Duration.ofMillis(100), 2, Duration.ofMillis(1000), 0.2);
        listen(retriedBy(exponential).toBuilder().maxAttempts(6).build(), deliveries -> {
            throw new IllegalStateException("always");
        });
        // the delays of all attempts of a real message
        for (int i = 0; i < 20; i++) {
            send("m" + i);
        }
        awaitTimes("retried m", 20 * 3);
        for (String line : happenings.of("retried")) {
            String[] parts = line.split(" ", -1);
            double exact = Math.min(1000, 100 * Math.pow(2, Integer.parseInt(parts[2]) - 1));
            assertThat((double) Duration.parse(parts[3]).toMillis())
                    .isBetween(Math.floor(exact * 0.8), Math.min(1000, Math.ceil(exact * 1.2)));
        }
        assertThat(happenings.of("retried m").stream()
                        .map(line -> line.split(" ", -1)[3])
                        .distinct())
                .hasSizeGreaterThan(10);
    }
}
