package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Reason;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SendLimitsTests extends RedisTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    private static final SendLimits LIMITS = new SendLimits(10, 8, Duration.ofDays(30), 500, 1000);

    private DelayQueueTemplate template() {
        return DelayQueueTemplate.builder(queue.store, queue.topics, QueueOnRedis.codec(), () -> NOW)
                .limits(LIMITS)
                .build();
    }

    private static DelayMessage.Builder message() {
        return DelayMessage.to("orders").id("4711").payload("0123456789");
    }

    static Stream<DelayMessage> atTheLimit() {
        return Stream.of(
                message().build(),
                message().payload("äöüßé").build(),
                message().payload(new byte[10]).build(),
                message().header("name", "valu").build(),
                message().header("€", "12345").build(),
                message().delay(Duration.ofDays(30)).build(),
                message().dueAt(NOW.plus(30, ChronoUnit.DAYS)).build());
    }

    @ParameterizedTest
    @MethodSource("atTheLimit")
    void atTheLimitItIsAccepted(DelayMessage message) {
        assertThat(template().send(message)).isInstanceOf(Accepted.class);
    }

    static Stream<Arguments> beyondTheLimit() {
        return Stream.of(
                arguments(message().payload("0123456789!").build(), "delayqueue.limits.max-payload-size"),
                arguments(message().payload("äöüßéa").build(), "delayqueue.limits.max-payload-size"),
                arguments(message().payload(new byte[11]).build(), "delayqueue.limits.max-payload-size"),
                arguments(message().header("name", "value").build(), "delayqueue.limits.max-headers-size"),
                arguments(
                        message().header("a", "1234").header("b", "123").build(), "delayqueue.limits.max-headers-size"),
                arguments(message().delay(Duration.ofDays(30).plusMillis(1)).build(), "delayqueue.limits.max-delay"),
                arguments(message().delay(Duration.ofSeconds(Long.MAX_VALUE)).build(), "delayqueue.limits.max-delay"),
                arguments(
                        message()
                                .dueAt(NOW.plus(30, ChronoUnit.DAYS).plusNanos(1))
                                .build(),
                        "delayqueue.limits.max-delay"));
    }

    @ParameterizedTest
    @MethodSource("beyondTheLimit")
    void beyondTheLimitItIsRejectedWithTheNameOfTheLimit(DelayMessage message, String property) {
        MessageRejectedException rejected = catchThrowableOfType(
                MessageRejectedException.class, () -> template().send(message));

        assertThat(rejected.reason()).isEqualTo(Reason.INVALID);
        assertThat(rejected.detail()).contains(property);
        assertThat(rejected.id()).isEqualTo("4711");
        assertThat(queue.proxy.traffic().requests()).isZero();
    }

    @Test
    void aRescheduleKnowsTheLongestDelayToo() {
        template().send(message().build());

        assertThatThrownBy(() -> template().reschedule("orders", "4711", Duration.ofDays(31)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("delayqueue.limits.max-delay");
        assertThatThrownBy(() -> template().reschedule("orders", "4711", Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRescheduleChecksDates() {
        template().send(message().build());

        assertThatThrownBy(() -> template().reschedule("orders", "4711", NOW.plus(31, ChronoUnit.DAYS)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("delayqueue.limits.max-delay");
        assertThatThrownBy(() -> template().reschedule("orders", "4711", Instant.ofEpochMilli(NOW.getEpochSecond())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("dueAt must be between 2000 and 9999");
        assertThat(template().reschedule("orders", "4711", NOW.minusSeconds(60)))
                .isEqualTo(RescheduleOutcome.RESCHEDULED);
    }

    @Test
    void invalidArgumentsThrowAtOnce() {
        assertThatThrownBy(() -> template().sendAsync(" ", "p")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> template().send("t".repeat(129), "p")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> template().sendAsync("t", "p", Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> template().cancel("t", "i".repeat(257))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNonceIsLettersAndDigits() {
        assertThatThrownBy(() -> template().send(message().repeatOf("a b").build()))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("nonce");
    }

    @Test
    void aHeaderThatWouldNotComeBackAsItIsIsRejected() {
        assertThatThrownBy(() -> template().send(message().header("a", "\ud83c").build()))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("header a");
    }
}
