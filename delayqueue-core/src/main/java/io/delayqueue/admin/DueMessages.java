package io.delayqueue.admin;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a topic that are due, or become due within a day, and what it takes to handle them on time.
 *
 * @param from time of the count
 * @param backlog number of messages that are due, however late they are
 * @param spans numbers of messages that become due, by consecutive spans of time, the first of which begins at {@code from}
 */
record DueMessages(Instant from, double backlog, List<Span> spans) {

    /** Deviation of sums of fractions that is not rounded up to a handler. */
    private static final double TOLERANCE = 1e-9;

    private static final double MICROS_PER_SECOND = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * Messages that become due within a span of time.
     *
     * @param begin time from the count to the begin of the span
     * @param end time from the count to the end of the span
     * @param due number of messages
     */
    record Span(Duration begin, Duration end, double due) {}

    /**
     * A number of handlers, and when they are needed.
     *
     * @param handlers 0 or more
     * @param at when they are needed; the time of the count if they are needed now, or if none are needed
     */
    record Need(int handlers, Instant at) {}

    /**
     * Returns the least number of handlers with which no message starts later than agreed: the largest, over all times
     * {@code s} and {@code t}, of (messages due from {@code s} until {@code t}) × mean handling time ÷ ({@code t} − {@code s} +
     * lateness). With {@code s} now, the backlog is included: it counts as due now, so that for {@code t} now the number is
     * backlog × mean handling time ÷ lateness. A later {@code s} matters, because no handler can start a message before it is
     * due. The messages of a span that is not longer than the lateness count as due at its begin, and those of a longer one as evenly
     * spread over it.
     *
     * @param within bound of {@code s}, from now; if zero, {@code s} is now
     * @param mean mean handling time of a message
     * @param lateness the agreed lateness, more than zero
     * @param maxConcurrent the largest number that is returned; null for no limit
     */
    Need most(Duration within, Duration mean, Duration lateness, @Nullable Integer maxConcurrent) {
        double[] deadlines =
                spans.stream().mapToDouble(span -> deadline(span, lateness)).toArray();
        double most = seconds(mean) * backlog / seconds(lateness);
        Duration at = Duration.ZERO;
        for (int first = 0; first < deadlines.length; first++) {
            Duration begin = spans.get(first).begin();
            if (!begin.isZero() && begin.compareTo(within) >= 0) {
                break;
            }
            double start = seconds(begin);
            double due = first == 0 ? backlog : 0;
            for (int last = first; last < deadlines.length; last++) {
                due += spans.get(last).due();
                double needed = seconds(mean) * due / (deadlines[last] - start);
                if (needed > most + TOLERANCE) {
                    most = needed;
                    at = begin;
                }
            }
        }
        double rounded = Math.ceil(most - TOLERANCE);
        double limit = maxConcurrent == null ? Integer.MAX_VALUE : maxConcurrent;
        return new Need((int) Math.min(limit, rounded), from.plus(at));
    }

    /** When the last message of a span has to start. */
    private static double deadline(Span span, Duration lateness) {
        double begin = seconds(span.begin());
        return Math.max(seconds(span.end()), begin + seconds(lateness));
    }

    /**
     * Returns when all messages that are due have started, if they start at a rate.
     *
     * @param intervalMicros time between two starts
     * @return the time; null if none is due now. If it is later than the last span, messages that become due after that are left
     *     out
     */
    @Nullable
    Instant emptyAt(long intervalMicros) {
        if (backlog < 1) {
            return null;
        }
        double perSecond = MICROS_PER_SECOND / intervalMicros;
        double waiting = backlog;
        for (Span span : spans) {
            double length = seconds(span.end().minus(span.begin()));
            double shrinking = perSecond - span.due() / length;
            if (shrinking * length >= waiting) {
                return later(seconds(span.begin()) + waiting / shrinking);
            }
            waiting -= shrinking * length;
        }
        double end = spans.isEmpty() ? 0 : seconds(spans.get(spans.size() - 1).end());
        return later(end + waiting / perSecond);
    }

    private Instant later(double seconds) {
        return from.plus((long) (seconds * MICROS_PER_SECOND), ChronoUnit.MICROS);
    }

    private static double seconds(Duration time) {
        return time.getSeconds() + time.getNano() / NANOS_PER_SECOND;
    }
}
