package io.delayqueue.coordination;

import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a node says of the topics it consumes, one a line: the lane, a space, the topic with percent signs and line feeds
 * as {@code %XX}. A line begins with {@code -} where all listeners of the node are paused, so that it watches no shard.
 */
final class ConsumedTopics {

    private static final String IDLE = "-";

    private ConsumedTopics() {}

    /**
     * Writes.
     *
     * @param watched shards that the node takes its turn in watching
     * @param attended shards of which a listener runs
     */
    static String write(Collection<Shard> watched, Collection<Shard> attended) {
        SortedSet<String> lines = new TreeSet<>();
        watched.forEach(shard -> lines.add(line(shard)));
        attended.stream()
                .map(ConsumedTopics::line)
                .filter(line -> !lines.contains(line))
                .toList()
                .forEach(line -> lines.add(IDLE + line));
        return String.join("\n", lines);
    }

    /** By which a watched shard's members find one another. */
    static String line(String topic, Lane lane) {
        return lane + " " + topic.replace("%", "%25").replace("\n", "%0A");
    }

    private static String line(Shard shard) {
        return line(shard.topic(), shard.lane());
    }

    /** The topics of a lane, watched or not. */
    static SortedSet<String> read(String lines, Lane lane) {
        SortedSet<String> topics = readWatched(lines, lane);
        topics.addAll(readAfter(IDLE + lane + " ", lines));
        return topics;
    }

    /** The topics of a lane that the node takes its turn in watching. */
    static SortedSet<String> readWatched(String lines, Lane lane) {
        return readAfter(lane + " ", lines);
    }

    private static SortedSet<String> readAfter(String prefix, String lines) {
        SortedSet<String> topics = new TreeSet<>();
        for (String line : lines.split("\n", -1)) {
            if (line.startsWith(prefix)) {
                topics.add(line.substring(prefix.length()).replace("%0A", "\n").replace("%25", "%"));
            }
        }
        return topics;
    }
}
