package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.delayqueue.admin.DueMessages.Need;
import io.delayqueue.admin.DueMessages.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How many handlers due messages need, and when. */
class DueMessagesTests {

    private static final Instant NOW = Instant.parse("2026-11-29T08:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Span span(int beginMinute, int endMinute, double due) {
        return new Span(Duration.ofMinutes(beginMinute), Duration.ofMinutes(endMinute), due);
    }

    static Stream<Arguments> needs() {
        return Stream.of(
                argumentSet("nothing", 0.0, List.of(), DAY, 0, 0),
                argumentSet("nothing in spans", 0.0, List.of(span(0, 1, 0)), DAY, 0, 0),
                argumentSet("the backlog within the lateness", 600.0, List.of(), DAY, 10, 0),
                argumentSet("a part of a handler is one", 1.0, List.of(), DAY, 1, 0),
                argumentSet("rounded up", 601.0, List.of(), DAY, 11, 0),
                argumentSet("the next minute, as if due at once", 0.0, List.of(span(0, 1, 1200)), DAY, 20, 0),
                argumentSet("backlog and the next minute", 600.0, List.of(span(0, 1, 900)), DAY, 25, 0),
                argumentSet("backlog alone is more urgent", 600.0, List.of(span(0, 9, 900)), DAY, 10, 0),
                argumentSet("a later peak", 60.0, List.of(span(0, 60, 60), span(60, 64, 3000)), DAY, 13, 60),
                argumentSet(
                        "minutes of a rate need its handlers",
                        0.0,
                        List.of(span(0, 5, 0), span(5, 6, 600), span(6, 7, 600)),
                        DAY,
                        10,
                        5),
                argumentSet(
                        "the first of equal peaks",
                        0.0,
                        List.of(span(0, 1, 120), span(1, 999, 0), span(999, 1000, 120)),
                        DAY,
                        2,
                        0),
                argumentSet(
                        "later than asked for",
                        60.0,
                        List.of(span(0, 5, 0), span(5, 9, 3000)),
                        MINUTE.multipliedBy(5),
                        6,
                        0),
                argumentSet("from now only", 0.0, List.of(span(0, 1, 0), span(1, 2, 1200)), Duration.ZERO, 10, 0));
    }

    @ParameterizedTest
    @MethodSource("needs")
    void handlersStartEachMessageWithinTheLateness(
            double backlog, List<Span> spans, Duration within, int handlers, int atMinute) {
        assertThat(new DueMessages(NOW, backlog, spans).most(within, SECOND, MINUTE, null))
                .isEqualTo(new Need(handlers, NOW.plus(Duration.ofMinutes(atMinute))));
    }

    @Test
    void meanAndLatenessScaleTheNumber() {
        DueMessages due = new DueMessages(NOW, 100, List.of());
        assertThat(due.most(DAY, Duration.ofSeconds(6), MINUTE, null).handlers())
                .isEqualTo(10);
        assertThat(due.most(DAY, SECOND, Duration.ofSeconds(10), null).handlers())
                .isEqualTo(10);
        assertThat(due.most(DAY, Duration.ZERO, MINUTE, null).handlers()).isZero();
        assertThat(due.most(DAY, Duration.ofDays(365_000), SECOND, null).handlers())
                .isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void maxConcurrentCapsTheNumber() {
        DueMessages due = new DueMessages(NOW, 600, List.of());
        assertThat(due.most(DAY, SECOND, MINUTE, 3).handlers()).isEqualTo(3);
        assertThat(due.most(DAY, SECOND, MINUTE, 30).handlers()).isEqualTo(10);
    }

    static Stream<Arguments> emptyTimes() {
        return Stream.of(
                argumentSet("none is due", 0.0, List.of(span(0, 1, 600)), null),
                argumentSet("the backlog", 120.0, List.of(), 2),
                argumentSet("others become due meanwhile", 120.0, List.of(span(0, 10, 300)), 4),
                argumentSet("as many as start", 60.0, List.of(span(0, 10, 600), span(10, 20, 0)), 11),
                argumentSet("it grows first", 60.0, List.of(span(0, 10, 1200), span(10, 60, 0)), 21),
                argumentSet("after the last span", 60.0, List.of(span(0, 10, 1200)), 21));
    }

    @ParameterizedTest
    @MethodSource("emptyTimes")
    void aRateTellsWhenTheTopicIsEmpty(double backlog, List<Span> spans, @Nullable Integer minute) {
        assertThat(new DueMessages(NOW, backlog, spans).emptyAt(1_000_000))
                .isEqualTo(minute == null ? null : NOW.plus(Duration.ofMinutes(minute)));
    }
}
