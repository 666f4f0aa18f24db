package io.delayqueue.metrics.observation;

import io.micrometer.tracing.Link;
import io.micrometer.tracing.Tracer;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The span that sent a message, read from the message's headers. A propagator returns it only as the parent of a new
 * span, not as a link. Therefore this class reads the formats that Spring Boot can write: W3C's traceparent, and B3 in
 * one or several headers.
 *
 * @param sampled null if the headers do not contain it
 */
record SenderTrace(String traceId, String spanId, @Nullable Boolean sampled) {

    private static final Pattern TRACE_PARENT =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");
    private static final Pattern B3 = Pattern.compile(
            "(?!0+-)([0-9a-f]{16}|[0-9a-f]{32})-(?!0{16})([0-9a-f]{16})(?:-([01d]))?(?:-[0-9a-f]{16})?");
    private static final int SAMPLED = 1;

    /** Reads the span; empty if the headers contain none. */
    static Optional<SenderTrace> of(Map<String, String> headers) {
        String parent = headers.get("traceparent");
        if (parent != null) {
            return matching(TRACE_PARENT, parent)
                    .map(it -> new SenderTrace(
                            it.group(1), it.group(2), (Integer.parseInt(it.group(3), 16) & SAMPLED) != 0));
        }
        String single = headers.get("b3");
        if (single == null) {
            single = joined(headers);
        }
        return single == null
                ? Optional.empty()
                : matching(B3, single)
                        .map(it -> new SenderTrace(padded(it.group(1)), it.group(2), isSampled(it.group(3))));
    }

    /** Returns links to the senders of messages, one for each span. */
    static Stream<Link> links(Tracer tracer, Stream<Map<String, String>> headers) {
        return headers.flatMap(each -> of(each).stream())
                .distinct()
                .map(sender -> new Link(tracer.traceContextBuilder()
                        .traceId(sender.traceId)
                        .spanId(sender.spanId)
                        .sampled(sender.sampled)
                        .build()));
    }

    private static Optional<Matcher> matching(Pattern pattern, String text) {
        return Optional.of(pattern.matcher(text)).filter(Matcher::matches);
    }

    private static @Nullable String joined(Map<String, String> headers) {
        String trace = headers.get("X-B3-TraceId");
        String span = headers.get("X-B3-SpanId");
        String sampled = headers.get("X-B3-Sampled");
        return trace == null || span == null ? null : trace + "-" + span + (sampled == null ? "" : "-" + sampled);
    }

    private static String padded(String traceId) {
        return traceId.length() == 16 ? "0".repeat(16) + traceId : traceId;
    }

    private static @Nullable Boolean isSampled(@Nullable String flag) {
        return flag == null ? null : !flag.equals("0");
    }
}
