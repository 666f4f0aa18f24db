package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.QueueKind;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The recipient and the durations in the events of a delivery. */
class DeliveryFactsTests extends HandlingTest {

    private static final Recipient LISTENER = new Recipient("t", QueueKind.MESSAGES, "t-0");
    private static final Recipient NOTIFICATIONS = new Recipient("t", QueueKind.NOTIFICATIONS, "t-1");
    private static final Duration WORK = Duration.ofSeconds(10);

    private final DelayQueueEvents events = mock();

    DeliveryFactsTests(RedisServerProcess redis) {
        super(redis);
    }

    @BeforeEach
    void record() {
        replace(driven(), events);
    }

    private static Duration atLeast(Duration time) {
        return argThat(told -> told != null && told.compareTo(time) >= 0);
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
        String id = node.template.send("t", "hello", delay).id();
        time.passUntil(delay, () -> happenings.count("acknowledged") == 1);
        verify(events).started(eq(LISTENER), eq(id), eq(1), any());
        verify(events).acknowledged(eq(LISTENER), eq(id), eq(1), atLeast(WORK), atLeast(delay.plus(WORK)));
    }

    @Test
    void retryAndDeadLetterReportTheirHandlingTime() {
        listen(QUICK.toBuilder().maxAttempts(2).build(), deliveries -> {
            work();
            throw new IllegalStateException("fails");
        });
        send("m");
        await("deadLettered m");
        verify(events).retried(eq(LISTENER), eq("m"), eq(1), atLeast(WORK), eq(Duration.ofMillis(10)));
        verify(events).deadLettered(eq(LISTENER), eq("m"), eq(DeadLetterCause.ATTEMPTS_SPENT), atLeast(WORK));
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
        assertThat(happenings.of("started")).isEmpty();
        verify(events).deadLettered(LISTENER, "m", DeadLetterCause.EXPIRED, null);
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
        verify(events).settlementRejected(eq(LISTENER), eq("m"), atLeast(WORK));
    }

    @Test
    void eventOfANotificationHasItsKind() {
        listen(QUICK.toBuilder().maxAttempts(1).build(), deliveries -> {
            throw new IllegalStateException("fails");
        });
        listenToDeadLetters(deliveries -> null);
        send("m");
        await("acknowledged m@");
        verify(events).deadLettered(eq(LISTENER), any(), any(), any());
        verify(events).acknowledged(eq(NOTIFICATIONS), any(), anyInt(), any(), any());
    }
}
