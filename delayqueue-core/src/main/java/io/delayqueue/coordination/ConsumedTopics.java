package io.delayqueue.coordination;

import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The text in which a node lists the topics that it consumes. A line contains the kind of queue, a space and the topic.
 * Percent signs and line feeds are written as {@code %XX}. If the node consumes a topic but sweeps no shard of it, for
 * example because its listeners are paused, the line starts with {@code -}.
 */
final class ConsumedTopics {

    private static final String IDLE = "-";

    private ConsumedTopics() {}

    /**
     * Writes the text.
     *
     * @param assignable shards that may be assigned to the node
     * @param consumed shards for which a listener runs
     */
    static String write(Collection<Shard> assignable, Collection<Shard> consumed) {
        SortedSet<String> lines = new TreeSet<>();
        assignable.forEach(shard -> lines.add(line(shard)));
        consumed.stream()
                .map(ConsumedTopics::line)
                .filter(line -> !lines.contains(line))
                .toList()
                .forEach(line -> lines.add(IDLE + line));
        return String.join("\n", lines);
    }

    /** The line of a topic whose shards may be assigned to the node. */
    static String line(String topic, QueueKind kind) {
        return kind + " " + topic.replace("%", "%25").replace("\n", "%0A");
    }

    private static String line(Shard shard) {
        return line(shard.topic(), shard.kind());
    }

    /** The topics of a queue, including those with paused listeners. */
    static SortedSet<String> read(String lines, QueueKind kind) {
        SortedSet<String> topics = readAssignable(lines, kind);
        topics.addAll(readAfter(IDLE + kind + " ", lines));
        return topics;
    }

    /** The topics of a queue whose shards may be assigned to the node. */
    static SortedSet<String> readAssignable(String lines, QueueKind kind) {
        return readAfter(kind + " ", lines);
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
