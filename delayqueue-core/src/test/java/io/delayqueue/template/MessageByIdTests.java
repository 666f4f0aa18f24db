package io.delayqueue.template;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MessageByIdTests extends RedisTest {

    private void claimAll() {
        queue.store()
                .awaitPoll(
                        Shard.single("orders"),
                        new PollRequest(
                                "consumer",
                                1,
                                new Claiming(10, PollRequest.MAX_BYTES, Duration.ofMinutes(1)),
                                new Reclaiming(
                                        0, 10, CrashLimits.DEFAULTS, Duration.ofMinutes(1), Duration.ofSeconds(10)),
                                false,
                                List.of(),
                                List.of()));
    }

    private void send(Duration delay) {
        queue.template()
                .send(DelayMessage.to("orders")
                        .id("4711")
                        .payload("p")
                        .delay(delay)
                        .build());
    }

    @Test
    void aScheduledMessageIsCancelled() {
        send(Duration.ofHours(1));

        assertThat(queue.template().cancel("orders", "4711")).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(queue.template().find("orders", "4711")).isEmpty();
        assertThat(queue.template().cancel("orders", "4711")).isEqualTo(CancelOutcome.NOT_FOUND);
        assertThat(queue.recorded().lines()).containsExactly("sent orders 1", "cancelled orders 4711");
    }

    @Test
    void aMessageThatIsHandledIsCancelledAndSaysSo() {
        send(Duration.ZERO);
        claimAll();

        assertThat(queue.template().find("orders", "4711").orElseThrow().state())
                .isEqualTo(MessageState.LEASED);
        assertThat(queue.template().reschedule("orders", "4711", Duration.ofHours(1)))
                .isEqualTo(RescheduleOutcome.BEING_HANDLED);
        assertThat(queue.template().cancel("orders", "4711")).isEqualTo(CancelOutcome.CANCELLED_WHILE_HANDLED);
    }

    @Test
    void aScheduledMessageIsMoved() {
        send(Duration.ofHours(1));
        Instant date =
                queue.template().find("orders", "4711").orElseThrow().dueAt().plus(Duration.ofHours(1));

        assertThat(queue.template().reschedule("orders", "4711", date)).isEqualTo(RescheduleOutcome.RESCHEDULED);
        assertThat(queue.template().find("orders", "4711").orElseThrow().dueAt())
                .isEqualTo(date);
        assertThat(queue.template().reschedule("orders", "4711", Duration.ZERO))
                .isEqualTo(RescheduleOutcome.RESCHEDULED);
        assertThat(queue.template().find("orders", "4711").orElseThrow().state())
                .isEqualTo(MessageState.READY);
        assertThat(queue.template().reschedule("orders", "other", Duration.ZERO))
                .isEqualTo(RescheduleOutcome.NOT_FOUND);
    }

    @Test
    void anUnknownTopicIsEmptyAndIsNotRegistered() {
        assertThat(queue.template().find("mistyped", "4711")).isEmpty();
        assertThat(queue.template().cancel("mistyped", "4711")).isEqualTo(CancelOutcome.NOT_FOUND);
        assertThat(queue.template().reschedule("mistyped", "4711", Duration.ZERO))
                .isEqualTo(RescheduleOutcome.NOT_FOUND);
        assertThat(server.command("DBSIZE")).isEqualTo(0L);
        assertThat(queue.recorded().lines()).isEmpty();
    }

    @Test
    void withoutReplyTheQueueIsUnavailable() {
        queue.open("orders");
        queue.faults().loseRequests();

        assertThatThrownBy(() -> queue.template().cancel("orders", "4711"))
                .isInstanceOf(DelayQueueUnavailableException.class)
                .hasMessageContaining("cancel")
                .hasMessageContaining("4711");
        assertThatThrownBy(() -> queue.template().find("orders", "4711"))
                .isInstanceOf(DelayQueueUnavailableException.class);
    }

    @Test
    void aTopicOfANewerFormatIsNotChanged() {
        send(Duration.ofHours(1));
        String meta = new String(queue.keySpace().of(Shard.single("orders")).meta(), UTF_8);
        String identity = (String) server.command("HGET", meta, "identity");
        server.command("HSET", meta, "identity", "9" + identity.substring(1));

        assertThatThrownBy(() -> queue.template().cancel("orders", "4711"))
                .isInstanceOf(DelayQueueException.class)
                .hasMessageContaining("format 9");
        assertThatThrownBy(() -> queue.template().send("orders", "p"))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("format 9");
    }
}
