package io.delayqueue.container;

import io.delayqueue.event.FailureLog;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Printable;
import io.delayqueue.store.Settlement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Counts the attempts of a listener in the last minute, and logs failures without flooding the log: for each class of
 * exceptions the first failure, then one a minute with the number of the others, and one line when no attempt has
 * failed with this class for a minute. Thread-safe.
 */
final class AttemptLog {

    private static final Log log = LogFactory.getLog(AttemptLog.class);

    /** Length of the window, and time without a failure after which its class is forgotten. */
    static final Duration WINDOW = Duration.ofMinutes(1);

    private static final int BUCKETS = 12;
    private static final long BUCKET_NANOS = WINDOW.toNanos() / BUCKETS;
    /** Failures of further classes are counted together. */
    private static final int MAX_CLASSES = 16;

    private static final String OTHER = "other exceptions";
    private static final int MAX_TEXT = 200;
    /** The usual handling time is a moving average in which the last attempt has this share. */
    private static final int USUAL_OF = 16;

    private final String listener;
    private final LongSupplier nanoTime;
    private final long start;
    private final Deque<Bucket> buckets = new ArrayDeque<>();
    private final @Nullable HeaderCounts byHeader;
    private long usualNanos;
    private final Map<String, FailureClass> failures = new LinkedHashMap<>();
    private long lastSuccess;

    private static final class Bucket extends HeaderCounts.Period {
        /** Attempts that failed with an exception. */
        private long threw;

        private long handlingNanos;

        private Bucket(long number) {
            super(number);
        }
    }

    /** The failures with one class of exceptions since the first of them. */
    private static final class FailureClass {
        private final long first;
        private long latest;
        private long count;
        private long countAtLine;
        private boolean logged;
        private long lastLine;
        private String text = "";

        private FailureClass(long now) {
            first = now;
            lastLine = now;
        }
    }

    /**
     * Creates a log.
     *
     * @param header by whose value attempts are counted; empty for none
     */
    AttemptLog(ListenerSpec spec, LongSupplier nanoTime, String header) {
        this.byHeader = header.isEmpty() ? null : new HeaderCounts(header, BUCKETS);
        this.listener = "listener " + Printable.of(spec.id()) + " of topic " + Printable.of(spec.topic());
        this.nanoTime = nanoTime;
        this.start = nanoTime.getAsLong();
    }

    /**
     * Counts an attempt and logs its failure. A release or postponement is not an attempt.
     *
     * @param attempt number of the attempt
     * @param startedAt when its handler started, by the monotonic clock
     * @param failure the exception of a failed attempt; null if the handler requested the settlement
     * @param headers supplies the headers of the message; empty if they cannot be read
     */
    void settled(
            Settlement settlement,
            int attempt,
            long startedAt,
            @Nullable Throwable failure,
            Supplier<Map<String, String>> headers) {
        if (settlement instanceof Settlement.Release || settlement instanceof Settlement.Postpone) {
            return;
        }
        Map<String, String> counted = byHeader == null ? Map.of() : headers.get();
        long now = nanoTime.getAsLong();
        String line;
        synchronized (this) {
            Bucket bucket = bucket(now);
            usualNanos += usualNanos == 0 ? now - startedAt : (now - startedAt - usualNanos) / USUAL_OF;
            if (byHeader != null) {
                byHeader.settled(settlement, counted, bucket.number);
            }
            bucket.handlingNanos += now - startedAt;
            bucket.count(settlement);
            if (settlement instanceof Settlement.Acknowledge) {
                lastSuccess = now;
            }
            bucket.threw += failure == null ? 0 : 1;
            line = failure == null ? null : failed(settlement, attempt, failure, now);
        }
        if (line != null && failure != null) {
            FailureLog.log(log::warn, line, failure);
        }
    }

    private Bucket bucket(long now) {
        long number = (now - start) / BUCKET_NANOS;
        Bucket last = buckets.peekLast();
        if (last == null || last.number != number) {
            last = new Bucket(number);
            buckets.addLast(last);
            lastBuckets(now);
        }
        return last;
    }

    /** The buckets of the last minute. */
    private Collection<Bucket> lastBuckets(long now) {
        buckets.removeIf(each -> each.number <= (now - start) / BUCKET_NANOS - BUCKETS);
        return buckets;
    }

    /** Counts a failure and returns the line to log, if one is due. */
    private @Nullable String failed(Settlement settlement, int attempt, Throwable exception, long now) {
        Failure failure = Failure.of(exception);
        String name = failures.containsKey(failure.type()) || failures.size() < MAX_CLASSES ? failure.type() : OTHER;
        FailureClass known = failures.computeIfAbsent(name, absent -> new FailureClass(now));
        known.latest = now;
        known.count++;
        known.text = text(failure);
        String which = "attempt " + attempt + " at " + Printable.of(settlement.id());
        if (settlement instanceof Settlement.ToDeadLetters) {
            return null; // logged with its cause when it is decided
        }
        if (!known.logged) {
            known.logged = true;
            return "In " + listener + ", " + which + " failed" + next(settlement)
                    + ". Further failures with this class are logged once a minute";
        }
        if (now - known.lastLine < WINDOW.toNanos()) {
            return null;
        }
        String line = "In " + listener + ", failures with " + name + " within " + seconds(now - known.lastLine) + ": "
                + (known.count - known.countAtLine)
                + (known.lastLine == known.first ? "" : "; within " + seconds(now - known.first) + ": " + known.count)
                + ". The last one was " + which;
        known.lastLine = now;
        known.countAtLine = known.count;
        return line;
    }

    private static String next(Settlement settlement) {
        return settlement instanceof Settlement.Retry retry
                ? "; the next one follows in " + DurationText.of(retry.delay())
                : "";
    }

    /** Class and message of a failure, in one line of limited length. */
    static String text(Failure failure) {
        String type = failure.type().substring(failure.type().lastIndexOf('.') + 1);
        String text = new Failure(type, failure.message()).summary();
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
    }

    private static String seconds(long nanos) {
        return Duration.ofNanos(nanos).toSeconds() + " s";
    }

    /**
     * Sums up the attempts of the last minute. Forgets and logs the classes of failures that have ended, so that each
     * heartbeat, which reports the attempts, also ends their log.
     */
    synchronized Attempts lastMinute() {
        long now = nanoTime.getAsLong();
        endFailures(now);
        Attempts counted = HeaderCounts.sum(lastBuckets(now));
        long handlingNanos =
                buckets.stream().mapToLong(each -> each.handlingNanos).sum();
        Optional<FailureClass> most = failures.values().stream().max(Comparator.comparingLong(each -> each.count));
        return new Attempts(
                counted.succeeded(),
                counted.retried(),
                counted.dead(),
                Duration.ofNanos(counted.all() == 0 ? 0 : handlingNanos / counted.all()),
                most.map(each -> each.text).orElse(null),
                most.map(each -> Duration.ofNanos(now - each.first)).orElse(Duration.ZERO),
                counted.succeeded() == 0 ? null : Duration.ofNanos(now - lastSuccess));
    }

    /**
     * Attempts of the last minute. A retry or dead letter that the handler requested counts as neither.
     *
     * @param threw number of attempts that failed with an exception
     * @param succeeded number of attempts whose message was acknowledged
     */
    record Outcomes(long threw, long succeeded) {}

    /** Sums up the outcomes of the last minute. */
    synchronized Outcomes outcomes() {
        Collection<Bucket> last = lastBuckets(nanoTime.getAsLong());
        return new Outcomes(
                last.stream().mapToLong(each -> each.threw).sum(),
                HeaderCounts.sum(last).succeeded());
    }

    /** Mean handling time of the last attempts, also of those before the last minute; zero if none has ended. */
    synchronized Duration usual() {
        return Duration.ofNanos(usualNanos);
    }

    /** The attempts of the last minute by the value of the header. */
    synchronized SortedMap<String, Attempts> byHeader() {
        return byHeader == null
                ? Collections.emptySortedMap()
                : byHeader.sums((nanoTime.getAsLong() - start) / BUCKET_NANOS);
    }

    private void endFailures(long now) {
        for (Iterator<Map.Entry<String, FailureClass>> it = failures.entrySet().iterator(); it.hasNext(); ) {
            Map.Entry<String, FailureClass> entry = it.next();
            FailureClass ended = entry.getValue();
            if (now - ended.latest >= WINDOW.toNanos()) {
                it.remove();
                if (ended.count > 1) {
                    log.info("In " + listener + ", no attempt has failed with " + entry.getKey()
                            + " for a minute. Failures within " + seconds(ended.latest - ended.first)
                            + " before: " + ended.count);
                }
            }
        }
    }
}
