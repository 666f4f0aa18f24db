package io.delayqueue.coordination;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Which topics are paused on all nodes, as far as this node has heard. Thread-safe.
 *
 * <p>Before the first heartbeat nobody knows, and nothing is to be taken: what was paused yesterday may have been paused
 * for a reason. If no heartbeat succeeds for as long as a node may be silent, none counts as paused. What was heard once
 * holds until something else is heard.
 */
public final class TopicPauses {

    private static final Log log = LogFactory.getLog(TopicPauses.class);

    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
    private volatile @Nullable Set<String> paused;

    TopicPauses() {}

    /** Whether deliveries of a topic may be taken. */
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
     * Has changes told.
     *
     * @param onChange called after any change; must not block
     * @return to be run when changes are of no interest any more
     */
    public Runnable watch(Runnable onChange) {
        watchers.add(onChange);
        return () -> watchers.remove(onChange);
    }

    void heard(Set<String> topics) {
        Set<String> before = paused;
        if (!topics.equals(before)) {
            paused = topics;
            if (before != null || !topics.isEmpty()) {
                log.info("Topics that are paused on all nodes: " + new TreeSet<>(topics));
            }
            watchers.forEach(Runnable::run);
        }
    }

    void heardNothing() {
        if (paused == null) {
            heard(Set.of());
        }
    }
}
