package io.delayqueue.store.script;

import io.delayqueue.message.Shard;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The stored formats of the topics that this process has used, inspected or sampled. For health checks only: scripts
 * compare the format of a shard in each call. Thread-safe.
 */
public final class StoredFormats {

    /** The format that this version reads and writes. */
    public static final int CURRENT = 1;

    private final Map<Shard, UnreadableTopic> unreadable = new ConcurrentHashMap<>();
    private volatile boolean currentSeen;

    StoredFormats() {}

    /**
     * A topic that this version cannot read and does not change.
     *
     * @param format stored format of the topic or of one of its shards
     * @param wanted whether this process tried to send to the topic, listen to it or receive from it
     */
    public record UnreadableTopic(String topic, String format, boolean wanted) {

        private UnreadableTopic mergedWith(UnreadableTopic other) {
            return new UnreadableTopic(topic, other.format, wanted || other.wanted);
        }
    }

    /** The format of this version if a shard has it, and the formats of unreadable topics. */
    public SortedSet<String> seen() {
        SortedSet<String> seen = new TreeSet<>();
        if (currentSeen) {
            seen.add(Integer.toString(CURRENT));
        }
        unreadable.values().forEach(topic -> seen.add(topic.format()));
        return seen;
    }

    /** The topics that this version cannot read, by name. */
    public Collection<UnreadableTopic> unreadableTopics() {
        SortedMap<String, UnreadableTopic> topics = new TreeMap<>();
        unreadable.values().forEach(topic -> topics.merge(topic.topic(), topic, UnreadableTopic::mergedWith));
        return List.copyOf(topics.values());
    }

    /** Records that this version can read a shard. Called for each reply, and usually only reads two fields. */
    void recordReadable(Shard shard) {
        if (!currentSeen) {
            currentSeen = true;
        }
        forgetUnreadable(shard);
    }

    void recordUnreadable(Shard shard, String format, boolean wanted) {
        unreadable.merge(
                shard.messages(), new UnreadableTopic(shard.topic(), format, wanted), UnreadableTopic::mergedWith);
    }

    /** Forgets that a shard was unreadable, and all shards of its topic with another count: they no longer exist. */
    void forgetUnreadable(Shard shard) {
        if (!unreadable.isEmpty()) {
            unreadable
                    .keySet()
                    .removeIf(other -> other.topic().equals(shard.topic())
                            && (other.index() == shard.index() || other.count() != shard.count()));
        }
    }

    /** Forgets that a topic was unreadable: it is no longer registered. */
    void forgetUnreadable(String topic) {
        unreadable.keySet().removeIf(shard -> shard.topic().equals(topic));
    }

    /** Forgets all unreadable topics that are not registered. */
    void retainUnreadable(Set<String> registered) {
        unreadable.keySet().removeIf(shard -> !registered.contains(shard.topic()));
    }
}
