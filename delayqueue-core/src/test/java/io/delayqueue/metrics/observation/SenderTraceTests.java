package io.delayqueue.metrics.observation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SenderTraceTests {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";

    @ParameterizedTest
    @CsvSource({"00,false", "01,true", "03,true", "02,false"})
    void traceparentIsRead(String flags, boolean sampled) {
        assertThat(SenderTrace.of(Map.of("traceparent", "00-" + TRACE + "-" + SPAN + "-" + flags)))
                .contains(new SenderTrace(TRACE, SPAN, sampled));
    }

    @Test
    void aLaterVersionOfTraceparentIsRead() {
        assertThat(SenderTrace.of(Map.of("traceparent", "01-" + TRACE + "-" + SPAN + "-01-more")))
                .contains(new SenderTrace(TRACE, SPAN, true));
    }

    @ParameterizedTest
    @CsvSource({"-1,true", "-d,true", "-0,false", "-1-0000000000000001,true"})
    void b3InOneHeaderIsRead(String rest, boolean sampled) {
        assertThat(SenderTrace.of(Map.of("b3", TRACE + "-" + SPAN + rest)))
                .contains(new SenderTrace(TRACE, SPAN, sampled));
    }

    @Test
    void b3MayLeaveTheSamplingOpen() {
        assertThat(SenderTrace.of(Map.of("b3", TRACE + "-" + SPAN))).contains(new SenderTrace(TRACE, SPAN, null));
        assertThat(SenderTrace.of(Map.of("X-B3-TraceId", TRACE, "X-B3-SpanId", SPAN)))
                .contains(new SenderTrace(TRACE, SPAN, null));
    }

    @Test
    void b3InSeveralHeadersIsRead() {
        assertThat(SenderTrace.of(Map.of("X-B3-TraceId", TRACE, "X-B3-SpanId", SPAN, "X-B3-Sampled", "0")))
                .contains(new SenderTrace(TRACE, SPAN, false));
    }

    @Test
    void aShortTraceIdIsFilledUp() {
        assertThat(SenderTrace.of(Map.of("b3", SPAN + "-" + SPAN + "-1")))
                .contains(new SenderTrace("0000000000000000" + SPAN, SPAN, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00-4bf92f3577b34da6a3ce929d0e0e4736",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"
            })
    void aBrokenTraceparentIsNone(String header) {
        assertThat(SenderTrace.of(Map.of("traceparent", header))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "<img onerror=x>",
                "4bf92f3577b34da6a3ce929d0e0e4736",
                "0000000000000000-00f067aa0ba902b7-1",
                "4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-1"
            })
    void aBrokenB3IsNone(String header) {
        assertThat(SenderTrace.of(Map.of("b3", header))).isEmpty();
    }

    @Test
    void withoutHeadersThereIsNone() {
        assertThat(SenderTrace.of(Map.of())).isEmpty();
        assertThat(SenderTrace.of(Map.of("X-B3-TraceId", TRACE))).isEmpty();
    }
}
