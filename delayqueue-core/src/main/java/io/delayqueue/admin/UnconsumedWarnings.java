package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicCounts;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs topics whose messages are due and that no listener, receiver or HTTP client consumes, once an hour for each topic.
 * Thread-safe.
 */
@Internal
public final class UnconsumedWarnings {

    private static final Duration MAX_LAG = Duration.ofSeconds(10);
    private static final Duration INTERVAL = Duration.ofHours(1);

    private static final Log log = LogFactory.getLog(UnconsumedWarnings.class);

    private final Supplier<? extends Collection<String>> listenedTopics;
    private final Duration maxLag;
    private final LongSupplier nanoTime;
    /** The time of the last warning of each topic, until it is an hour ago. */
    private final Map<String, Long> warned = new ConcurrentHashMap<>();

    /**
     * Creates it.
     *
     * @param listenedTopics supplies the topics of the listeners of this process
     * @param nanoTime the monotonic clock
     */
    public UnconsumedWarnings(Supplier<? extends Collection<String>> listenedTopics, LongSupplier nanoTime) {
        this(listenedTopics, MAX_LAG, nanoTime);
    }

    UnconsumedWarnings(Supplier<? extends Collection<String>> listenedTopics, Duration maxLag, LongSupplier nanoTime) {
        this.listenedTopics = listenedTopics;
        this.maxLag = maxLag;
        this.nanoTime = nanoTime;
    }

    Collection<String> listenedTopics() {
        return listenedTopics.get();
    }

    /** Checks all topics of a sample. A process without listeners, such as a monitor, logs nothing. */
    public void sampled(List<TopicStatus> topics) {
        if (!listenedTopics.get().isEmpty()) {
            topics.forEach(this::warnIfUnconsumed);
        }
    }

    /** Returns whether messages of the topic are late and have no consumer. */
    boolean warnIfUnconsumed(TopicStatus status) {
        TopicCounts counts = status.counts();
        if (counts == null
                || !status.consumers().isEmpty()
                || counts.ready() == 0
                || counts.lag().compareTo(maxLag) <= 0) {
            return false;
        }
        long now = nanoTime.getAsLong();
        warned.values().removeIf(last -> now - last >= INTERVAL.toNanos());
        if (warned.putIfAbsent(status.topic(), now) == null) {
            log.warn("Topic " + Printable.of(status.topic()) + " has " + counts.ready()
                    + " due messages, the oldest for " + counts.lag().toSeconds()
                    + " s, and no consumer: no process has a running listener for it, and no"
                    + " receiver or HTTP client received from it within the last minute. Check its name, and that the"
                    + " class of its @DelayListener is a bean (for example annotated with @Component)");
        }
        return true;
    }
}
