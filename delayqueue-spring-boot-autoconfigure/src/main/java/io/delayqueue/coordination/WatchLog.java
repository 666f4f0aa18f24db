package io.delayqueue.coordination;

import io.delayqueue.coordination.Members.Topic;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
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

/** Logs what this node watches when that changes: one line, whatever the number of topics. Not thread-safe. */
final class WatchLog {

    private static final Log log = LogFactory.getLog(WatchLog.class);
    private static final int MAX_TOPICS = 10;
    private static final int MAX_RANGES = 20;
    private static final Comparator<Topic> IN_ORDER =
            Comparator.comparing(Topic::name).thenComparing(Topic::lane).thenComparing(Topic::shards);

    private final String node;
    private Map<Topic, List<Integer>> told = Map.of();

    WatchLog(String node) {
        this.node = node;
    }

    /** A heartbeat said who there is; topics for which it didn't say this node yet are left to the next one. */
    void heard(Members members, Set<Shard> seats) {
        tell(seats, topic -> members.include(node, topic), members, topic -> among(members.count(topic)));
    }

    /** There has been no heartbeat for so long that the node watches everything. */
    void inTheDark(Set<Shard> seats) {
        tell(seats, topic -> true, Members.UNKNOWN, topic -> " as long as it hears nothing of other nodes");
    }

    private static String among(int nodes) {
        return nodes > 1 ? " among " + nodes + " nodes" : " alone";
    }

    private void tell(Set<Shard> seats, Predicate<Topic> isTold, Members members, Function<Topic, String> among) {
        Map<Topic, List<Integer>> now = new TreeMap<>(IN_ORDER);
        seats.stream()
                .map(Topic::of)
                .distinct()
                .filter(isTold)
                .forEach(topic -> now.put(topic, members.sharesOf(node, topic)));
        List<String> changes = now.entrySet().stream()
                .filter(share -> !share.getValue().equals(told.get(share.getKey())))
                .map(share -> share(share.getKey(), share.getValue(), among.apply(share.getKey())))
                .toList();
        told = now;
        if (!changes.isEmpty()) {
            int more = changes.size() - MAX_TOPICS;
            log.info("Node " + node + " "
                    + changes.stream().limit(MAX_TOPICS).collect(Collectors.joining("; "))
                    + (more > 0 ? "; and so on for " + more + " topics more" : ""));
        }
    }

    private String share(Topic topic, List<Integer> shards, String among) {
        String name = (topic.lane() == Lane.DEATHS ? "the deaths of topic " : "topic ") + topic.name();
        if (topic.shards() == 1) {
            return shards.isEmpty()
                    ? "leaves " + name + " to another" + among.replace(" among", " of")
                    : "watches " + name + among;
        }
        if (shards.size() == topic.shards()) {
            return "watches all " + topic.shards() + " shards of " + name + among;
        }
        String some = shards.isEmpty() ? "none" : Integer.toString(shards.size());
        String which = shards.isEmpty() ? "" : " (" + ranges(shards) + ")";
        return "watches " + some + " of " + topic.shards() + " shards of " + name + which + among;
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
