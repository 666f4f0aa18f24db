package io.delayqueue.coordination;

import io.delayqueue.message.Printable;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The topics that are paused on all nodes, according to the last successful heartbeat. Thread-safe.
 *
 * <p>Before the first successful heartbeat the paused topics are unknown, and no delivery of any topic is taken. If no
 * heartbeat succeeds within the heartbeat timeout after the start, no topic counts as paused. Known pauses remain while
 * heartbeats fail.
 */
public final class TopicPauses {

    private static final Log log = LogFactory.getLog(TopicPauses.class);

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile @Nullable Set<String> paused;

    TopicPauses() {}

    /** Whether deliveries of a topic may be taken: the paused topics are known, and the topic is not one of them. */
    public boolean allow(String topic) {
        Set<String> known = paused;
        return known != null && !known.contains(topic);
    }

    /** Whether a topic is known to be paused. */
    public boolean include(String topic) {
        Set<String> known = paused;
        return known != null && known.contains(topic);
    }

    /**
     * Adds a listener for changes.
     *
     * @param listener called after each change; must not block
     * @return removes the listener
     */
    public Runnable onChange(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    void set(Set<String> topics) {
        Set<String> before = paused;
        if (!topics.equals(before)) {
            paused = topics;
            if (before != null || !topics.isEmpty()) {
                log.info("Topics paused on all nodes: "
                        + new TreeSet<>(topics).stream().map(Printable::of).toList());
            }
            listeners.forEach(Runnable::run);
        }
    }

    /** Treats no topic as paused if the paused topics are still unknown. */
    void assumeNone() {
        if (paused == null) {
            set(Set.of());
        }
    }
}
