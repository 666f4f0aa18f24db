package io.delayqueue.coordination;

import io.delayqueue.coordination.NodesByTopic.Topic;
import io.delayqueue.message.Printable;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Logs one line when the shards that this node sweeps change, for any number of topics. Not thread-safe. */
final class AssignmentLog {

    private static final Log log = LogFactory.getLog(AssignmentLog.class);
    private static final int MAX_TOPICS = 10;
    private static final int MAX_RANGES = 20;
    private static final Comparator<Topic> IN_ORDER =
            Comparator.comparing(Topic::name).thenComparing(Topic::kind).thenComparing(Topic::shards);

    private final String node;
    private Map<Topic, List<Integer>> logged = Map.of();

    AssignmentLog(String node) {
        this.node = node;
    }

    /**
     * Logs the assignments after a heartbeat. A topic for which the heartbeat does not list this node yet is logged
     * after the next one.
     */
    void connected(NodesByTopic nodes, Set<Shard> assignments) {
        logChanges(assignments, topic -> nodes.include(node, topic), nodes, topic -> among(nodes.count(topic)));
    }

    /** Logs that this node sweeps all its shards, because no heartbeat succeeded within the heartbeat timeout. */
    void isolated(Set<Shard> assignments) {
        logChanges(assignments, topic -> true, NodesByTopic.UNKNOWN, topic -> " until a heartbeat succeeds");
    }

    private static String among(int nodes) {
        return nodes > 1 ? " among " + nodes + " nodes" : " alone";
    }

    private void logChanges(
            Set<Shard> assignments, Predicate<Topic> isKnown, NodesByTopic nodes, Function<Topic, String> among) {
        Map<Topic, List<Integer>> now = new TreeMap<>(IN_ORDER);
        assignments.stream()
                .map(Topic::of)
                .distinct()
                .filter(isKnown)
                .forEach(topic -> now.put(topic, nodes.shardsOf(node, topic)));
        List<String> changes = now.entrySet().stream()
                .filter(share -> !share.getValue().equals(logged.get(share.getKey())))
                .map(share -> share(share.getKey(), share.getValue(), among.apply(share.getKey())))
                .toList();
        logged = now;
        if (!changes.isEmpty()) {
            int more = changes.size() - MAX_TOPICS;
            log.info("Node " + node + " "
                    + changes.stream().limit(MAX_TOPICS).collect(Collectors.joining("; "))
                    + (more > 0 ? "; and " + more + " more" : ""));
        }
    }

    private String share(Topic topic, List<Integer> shards, String among) {
        String name = (topic.kind() == QueueKind.NOTIFICATIONS ? "the dead-letter notifications of topic " : "topic ")
                + Printable.of(topic.name());
        if (topic.shards() == 1) {
            return shards.isEmpty() ? "leaves " + name + " to another node" + among : "sweeps " + name + among;
        }
        if (shards.size() == topic.shards()) {
            return "sweeps all " + topic.shards() + " shards of " + name + among;
        }
        String some = shards.isEmpty() ? "none" : Integer.toString(shards.size());
        String which = shards.isEmpty() ? "" : " (" + ranges(shards) + ")";
        return "sweeps " + some + " of " + topic.shards() + " shards of " + name + which + among;
    }

    private static String ranges(List<Integer> shards) {
        List<String> ranges = new ArrayList<>();
        for (int from = 0, next; from < shards.size() && ranges.size() <= MAX_RANGES; from = next) {
            next = from + 1;
            while (next < shards.size() && shards.get(next) == shards.get(next - 1) + 1) {
                next++;
            }
            int first = shards.get(from);
            int last = shards.get(next - 1);
            ranges.add(first == last ? "" + first : last == first + 1 ? first + ", " + last : first + "-" + last);
        }
        if (ranges.size() > MAX_RANGES) {
            ranges.set(MAX_RANGES, "...");
        }
        return String.join(", ", ranges);
    }
}
