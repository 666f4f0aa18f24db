package io.delayqueue.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@link DelayMessage.Builder#debounce} accepts and rejects. */
class DebouncedMessageTests {

    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final Duration LATEST = Duration.ofMinutes(1);
    private static final Instant DATE = Instant.parse("2030-01-31T12:00:00Z");

    private static DelayMessage.Builder builder() {
        return DelayMessage.to("reindex").id("a").payload("a");
    }

    static Stream<Arguments> rejected() {
        return Stream.of(
                rejected(builder -> builder.delay(QUIET).debounce(QUIET, LATEST), "already set"),
                rejected(builder -> builder.debounce(QUIET, LATEST).dueAt(DATE), "already set"),
                rejected(builder -> builder.debounce(QUIET, LATEST).version(1), "debounce and version exclude"),
                rejected(
                        builder -> builder.onDuplicate(OnDuplicate.KEEP).debounce(QUIET, LATEST),
                        "debounce and onDuplicate exclude"),
                rejected(
                        builder -> builder.debounce(Duration.ZERO, LATEST),
                        "quiet must be more than zero, but was 0 s"),
                rejected(
                        builder -> builder.debounce(QUIET, Duration.ZERO),
                        "atTheLatest must be more than zero, but was 0 s"),
                rejected(
                        builder -> builder.debounce(LATEST, QUIET),
                        "atTheLatest must not be less than quiet, but was 5 s with a quiet time of 1 min"),
                rejected(
                        builder -> DelayMessage.to("reindex").payload("a").debounce(QUIET, LATEST),
                        "debounce requires an id"));
    }

    private static Arguments rejected(UnaryOperator<DelayMessage.Builder> call, String reason) {
        return Arguments.of(reason, call);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void rejected(String reason, UnaryOperator<DelayMessage.Builder> call) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> call.apply(builder()).build())
                .withMessageContaining(reason);
    }

    @Test
    void aCopyIsDebouncedUnlessItGetsAnotherDueTime() {
        DelayMessage message = builder().debounce(QUIET, LATEST).build();

        assertThat(message.due()).isEqualTo(new Due(5_000, true, 60_000));
        assertThat(message.onDuplicate()).isEqualTo(OnDuplicate.REPLACE);
        assertThat(message.toBuilder().payload("b").build().due()).isEqualTo(message.due());
        DelayMessage delayed = message.toBuilder().delay(QUIET).build();
        assertThat(delayed.due().isDebounced()).isFalse();
        assertThat(delayed.onDuplicate()).isEqualTo(OnDuplicate.REJECT);
        DelayMessage.Builder after = builder().onDuplicate(OnDuplicate.AFTER_RUNNING).build().toBuilder();
        assertThatIllegalArgumentException()
                .isThrownBy(after.debounce(QUIET, LATEST)::build)
                .withMessageContaining("debounce and onDuplicate exclude");
    }
}
