package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard.QueueKind;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The recipient and the durations in the events of a delivery. */
class DeliveryFactsTests extends HandlingTest {

    private static final Recipient LISTENER = new Recipient("t", QueueKind.MESSAGES, "t-0");
    private static final Recipient NOTIFICATIONS = new Recipient("t", QueueKind.NOTIFICATIONS, "t-1");
    private static final Duration WORK = Duration.ofSeconds(10);

    private final Queue<Fact> facts = new ConcurrentLinkedQueue<>();

    DeliveryFactsTests(RedisServerProcess redis) {
        super(redis);
    }

    private record Fact(
            String what,
            Recipient recipient,
            String id,
            @Nullable Duration handling,
            @Nullable Duration other) {}

    private final class Book implements DelayQueueEvents {

        @Override
        public void started(Recipient recipient, String id, int attempt, Duration late) {
            facts.add(new Fact("started", recipient, id, null, late));
        }

        @Override
        public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
            facts.add(new Fact("acknowledged", recipient, id, handling, sinceSent));
        }

        @Override
        public void retried(Recipient recipient, String id, int attempt, Duration handling, Duration delay) {
            facts.add(new Fact("retried", recipient, id, handling, delay));
        }

        @Override
        public void deadLettered(Recipient recipient, String id, DeadLetterCause cause, @Nullable Duration handling) {
            facts.add(new Fact("deadLettered", recipient, id, handling, null));
        }

        @Override
        public void settlementRejected(Recipient recipient, String id, @Nullable Duration handling) {
            facts.add(new Fact("gone", recipient, id, handling, null));
        }
    }

    @BeforeEach
    void keepBook() {
        start(builder().events(happenings, new Book()));
    }

    /** Waits for a fact, because the event of a settlement is published after other threads may see its effect. */
    private Fact only(String what) {
        Awaitility.await().until(() -> facts.stream().anyMatch(fact -> fact.what.equals(what)));
        return facts.stream()
                .filter(fact -> fact.what.equals(what))
                .reduce((a, b) -> {
                    throw new AssertionError("more than one: " + facts);
                })
                .orElseThrow();
    }

    private void work() {
        time.jump(WORK);
    }

    @Test
    void acknowledgementReportsHandlingTimeAndTimeSinceSend() {
        listen(QUICK, deliveries -> {
            work();
            return null;
        });
        Duration delay = Duration.ofHours(1);
        node.template.send("t", "hello", delay);
        time.passUntil(delay, () -> happenings.count("acknowledged") == 1);

        Fact told = only("acknowledged");
        assertThat(told.recipient).isEqualTo(LISTENER);
        assertThat(told.handling).isGreaterThanOrEqualTo(WORK);
        assertThat(told.other).isGreaterThanOrEqualTo(delay.plus(WORK));
        assertThat(only("started").recipient).isEqualTo(LISTENER);
    }

    @Test
    void retryAndDeadLetterReportTheirHandlingTime() {
        listen(QUICK.toBuilder().maxAttempts(2).build(), deliveries -> {
            work();
            throw new IllegalStateException("fails");
        });
        send("m");
        await("deadLettered m");

        assertThat(only("retried").handling).isGreaterThanOrEqualTo(WORK);
        assertThat(only("retried").other).isEqualTo(Duration.ofMillis(10));
        assertThat(only("deadLettered").handling).isGreaterThanOrEqualTo(WORK);
        assertThat(only("deadLettered").recipient).isEqualTo(LISTENER);
    }

    @Test
    void deadLetterWithoutSettlementHasNoHandlingTime() {
        node.template.send(DelayMessage.to("t")
                .id("m")
                .payload("")
                .expireAt(SystemClock.now().minusSeconds(60))
                .build());
        listen(QUICK, deliveries -> null);
        await("deadLettered m EXPIRED");

        assertThat(only("deadLettered").handling).isNull();
        assertThat(only("deadLettered").recipient).isEqualTo(LISTENER);
    }

    @Test
    void rejectedSettlementReportsItsHandlingTime() {
        listen(QUICK, deliveries -> {
            work();
            node.template.cancel("t", "m");
            return null;
        });
        send("m");
        await("gone m");

        assertThat(only("gone").handling).isGreaterThanOrEqualTo(WORK);
    }

    @Test
    void eventOfANotificationHasItsKind() {
        listen(QUICK.toBuilder().maxAttempts(1).build(), deliveries -> {
            throw new IllegalStateException("fails");
        });
        node.container("t", QueueKind.NOTIFICATIONS, QUICK, deliveries -> null).start();
        Awaitility.await().until(() -> redis.command("HGET", "dq:{t:0.0}:meta", "notifications") != null);
        send("m");
        await("acknowledged m@");

        assertThat(only("deadLettered").recipient.takesMessages()).isTrue();
        assertThat(only("acknowledged").recipient).isEqualTo(NOTIFICATIONS);
        assertThat(only("acknowledged").recipient.takesMessages()).isFalse();
    }
}
