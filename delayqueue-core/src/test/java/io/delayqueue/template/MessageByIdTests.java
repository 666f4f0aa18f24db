package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.RescheduleOutcome;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class MessageByIdTests extends RedisTest {

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
        assertThat(queue.recorded.lines()).containsExactly("sent orders 1", "cancelled orders 4711");
    }

    @Test
    void aCancelWithAVersionKeepsAGreaterVersion() {
        queue.template()
                .send(DelayMessage.to("orders")
                        .id("4711")
                        .payload("p")
                        .version(7)
                        .delay(Duration.ofHours(1))
                        .build());

        assertThat(queue.template().cancel("orders", "4711", 6)).isEqualTo(CancelOutcome.NOT_FOUND);
        assertThat(queue.template().find("orders", "4711")).isPresent();
        assertThat(queue.template().cancel("orders", "4711", 7)).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(queue.recorded.lines()).containsExactly("sent orders 1", "cancelled orders 4711");
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
        assertThat(queue.recorded.lines()).isEmpty();
    }

    @Test
    void withoutReplyTheQueueIsUnavailable() {
        queue.open("orders");
        queue.faults.loseRequests();

        assertThatThrownBy(() -> queue.template().cancel("orders", "4711"))
                .isInstanceOf(DelayQueueUnavailableException.class)
                .hasMessageContaining("cancel")
                .hasMessageContaining("4711");
        assertThatThrownBy(() -> queue.template().find("orders", "4711"))
                .isInstanceOf(DelayQueueUnavailableException.class);
    }
}
