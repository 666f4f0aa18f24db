package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.coordination.RedisTask;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicCounts;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs topics to which this process sends and that no listener, receiver or HTTP client consumes: their name may be
 * mistyped, or the listener's class may be no bean. A topic that has consumers costs two commands a minute while this
 * process sends to it. Thread-safe.
 */
@Internal
public final class UnconsumedTopics extends RedisTask implements DelayQueueEvents {

    static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final Duration CONSUMED_INTERVAL = Duration.ofMinutes(1);
    private static final int MAX_TOPICS = 1_000;

    private static final Log log = LogFactory.getLog(UnconsumedTopics.class);

    private final DelayQueueInspector inspector;
    private final UnconsumedWarnings warnings;
    private final Map<String, Sent> topics = new ConcurrentHashMap<>();

    /** A topic that this process sends to. Only runs write the times. */
    private static final class Sent {

        private volatile boolean toCheck = true;
        private long nextCheck;
        private boolean told;

        Sent(long nextCheck) {
            this.nextCheck = nextCheck;
        }
    }

    /**
     * Creates a task that checks only when it is run.
     *
     * @param warnings logs topics whose messages are late
     * @param nanoTime the monotonic clock
     */
    public UnconsumedTopics(DelayQueueInspector inspector, UnconsumedWarnings warnings, LongSupplier nanoTime) {
        super(nanoTime);
        this.inspector = inspector;
        this.warnings = warnings;
    }

    @Override
    public void sent(String topic, int count) {
        Sent known = topics.get(topic);
        if (known != null) {
            known.toCheck = true;
        } else if (topics.size() < MAX_TOPICS) {
            topics.putIfAbsent(topic, new Sent(nanoTime.getAsLong() + INTERVAL.toNanos()));
        }
    }

    @Override
    protected Duration roundTrip() {
        if (isWaiting() || !due().isEmpty()) {
            List<TopicStatus> statuses = reply(() -> inspector.statuses(due()));
            if (statuses == null) {
                return UNTIL_WOKEN;
            }
            statuses.forEach(this::check);
        }
        return INTERVAL;
    }

    private List<String> due() {
        long now = nanoTime.getAsLong();
        return topics.entrySet().stream()
                .filter(each -> each.getValue().toCheck && now - each.getValue().nextCheck >= 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    private void check(TopicStatus status) {
        Sent sent = topics.get(status.topic());
        TopicCounts counts = status.counts();
        if (sent == null || counts == null) {
            return;
        }
        long now = nanoTime.getAsLong();
        if (!status.consumers().isEmpty() || counts.scheduled() + counts.ready() == 0) {
            sent.toCheck = false; // until the next send
            sent.nextCheck = now + CONSUMED_INTERVAL.toNanos();
            return;
        }
        if (!warnings.warnIfUnconsumed(status) && !sent.told) {
            sent.told = true;
            tell(status.topic());
        }
    }

    private void tell(String topic) {
        Collection<String> listened = warnings.listenedTopics();
        if (!listened.isEmpty()) {
            log.info("This process sends to topic " + Printable.of(topic)
                    + ", for which no process has a listener. It has listeners for "
                    + listened.stream().distinct().sorted().map(Printable::of).toList());
        }
    }
}
