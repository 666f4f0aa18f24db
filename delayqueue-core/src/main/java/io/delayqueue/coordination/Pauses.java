package io.delayqueue.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.listener.Pause;
import io.delayqueue.message.FormText;
import io.delayqueue.message.Printable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The pauses of this node's listeners, according to the last successful heartbeat. Thread-safe.
 *
 * <p>Before the first successful heartbeat the pauses are unknown, and no delivery is taken. If no heartbeat succeeds
 * within the heartbeat timeout after the start, no listener counts as paused. Known pauses remain while heartbeats fail.
 *
 * <p>In Redis a pause is a field of a hash, which names topic, listener and node, with the author and the time as its
 * value; both in the encoding of an HTML form.
 */
public final class Pauses {

    private static final Log log = LogFactory.getLog(Pauses.class);

    /** Maximum number of changes in a line of the log. */
    private static final int MAX_LOGGED = 10;

    private final String node;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    /** The pauses of this node and of all nodes, by topic; null if they are unknown. */
    private volatile @Nullable Map<String, List<Pause>> known;

    /** The other nodes that have pauses but are not live. */
    private volatile Set<String> departed = Set.of();

    Pauses(String node) {
        this.node = node;
    }

    /** Whether a listener may take deliveries: the pauses are known, and none includes the listener. */
    public boolean allow(String topic, String listener) {
        return known != null && of(topic, listener).isEmpty();
    }

    /** The known pauses that include a listener of this node. */
    public List<Pause> of(String topic, String listener) {
        Map<String, List<Pause>> byTopic = known;
        return byTopic == null
                ? List.of()
                : byTopic.getOrDefault(topic, List.of()).stream()
                        .filter(pause -> pause.includes(listener, node))
                        .toList();
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

    /**
     * Replaces the known pauses.
     *
     * @param all all pauses
     * @param live names of the live nodes
     */
    void set(List<Pause> all, Collection<String> live) {
        Set<String> absent = new HashSet<>();
        for (Pause pause : all) {
            String paused = pause.node();
            if (paused != null && !paused.equals(node) && !live.contains(paused)) {
                absent.add(paused);
            }
        }
        departed = Set.copyOf(absent);
        Map<String, List<Pause>> before = known;
        Map<String, List<Pause>> now = byTopic(all.stream()
                .filter(pause -> pause.node() == null || pause.node().equals(node))
                .toList());
        if (!now.equals(before)) {
            known = now;
            logChanges("Paused: ", before == null ? Map.of() : before, now);
            logChanges("No longer paused: ", now, before == null ? Map.of() : before);
            listeners.forEach(Runnable::run);
        }
    }

    /** Treats no listener as paused if the pauses are still unknown. */
    void assumeNone() {
        if (known == null) {
            set(List.of(), Set.of());
        }
    }

    /** The other nodes that have pauses and were not live at the last change. A node's pauses end with its record. */
    Set<String> departed() {
        return departed;
    }

    private static void logChanges(String what, Map<String, List<Pause>> than, Map<String, List<Pause>> in) {
        Set<Pause> others = new HashSet<>();
        than.values().forEach(others::addAll);
        List<String> changed = in.values().stream()
                .flatMap(List::stream)
                .filter(pause -> !others.contains(pause))
                .map(Pauses::describe)
                .toList();
        if (!changed.isEmpty()) {
            int more = changed.size() - MAX_LOGGED;
            log.info(what
                    + String.join("; ", changed.subList(0, Math.min(changed.size(), MAX_LOGGED)))
                    + (more > 0 ? "; and " + more + " more" : ""));
        }
    }

    private static String describe(Pause pause) {
        String topic = "topic " + Printable.of(pause.topic());
        return (pause.listener() == null ? topic : "listener " + Printable.of(pause.listener()) + " of " + topic)
                + (pause.node() == null ? " on all nodes" : " on this node")
                + ", by " + (pause.by().isEmpty() ? "an unknown user" : Printable.of(pause.by()));
    }

    static Map<String, List<Pause>> byTopic(List<Pause> pauses) {
        return pauses.stream()
                .collect(Collectors.groupingBy(Pause::topic, TreeMap::new, Collectors.toUnmodifiableList()));
    }

    // ---- in Redis --------------------------------------------------------------------------------------------------

    /** The field of a pause. The node is last, where the scripts expect it. */
    static String field(String topic, @Nullable String listener, @Nullable String node) {
        StringBuilder field = new StringBuilder();
        FormText.append(field, "topic", topic);
        if (listener != null) {
            FormText.append(field, "listener", listener);
        }
        if (node != null) {
            FormText.append(field, "node", node);
        }
        return field.toString();
    }

    /** Reads all fields and values of the hash, the latest pause first. Those that cannot be read are left out. */
    static List<Pause> read(List<?> hash) {
        List<Pause> pauses = new ArrayList<>();
        for (int i = 0; i + 1 < hash.size(); i += 2) {
            try {
                Map<String, String> field = FormText.read(text(hash.get(i)));
                Map<String, String> value = FormText.read(text(hash.get(i + 1)));
                String topic = field.get("topic");
                if (topic != null) {
                    pauses.add(new Pause(
                            topic,
                            field.get("listener"),
                            field.get("node"),
                            value.getOrDefault("by", ""),
                            Instant.ofEpochMilli(Long.parseLong(value.getOrDefault("at", "0")))));
                }
            } catch (IllegalArgumentException e) {
                log.debug("A pause that a foreign client wrote is ignored", e);
            }
        }
        pauses.sort((one, other) -> other.at().compareTo(one.at()));
        return pauses;
    }

    private static String text(Object part) {
        return new String((byte[]) part, UTF_8);
    }
}
