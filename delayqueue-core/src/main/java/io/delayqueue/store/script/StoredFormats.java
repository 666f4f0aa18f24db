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
 * The stored formats of topics that this process has used, inspected or sampled. Scripts compare formats anyway, so
 * that this costs no calls. Thread-safe.
 */
public final class StoredFormats {

    private final Map<Shard, Unreadable> unreadable = new ConcurrentHashMap<>();
    private volatile boolean ownSeen;

    StoredFormats() {}

    /**
     * A topic that this version cannot read and does not change.
     *
     * @param format stored format of the topic or of one of its shards
     * @param wanted whether this process tried to send to the topic, listen to it or receive from it
     */
    public record Unreadable(String topic, String format, boolean wanted) {

        private Unreadable and(Unreadable other) {
            return new Unreadable(topic, other.format, wanted || other.wanted);
        }
    }

    /** The formats that were found: the format of this version, and those of unreadable topics. */
    public SortedSet<String> seen() {
        SortedSet<String> seen = new TreeSet<>();
        if (ownSeen) {
            seen.add(Integer.toString(TopicRegistry.FORMAT));
        }
        unreadable.values().forEach(found -> seen.add(found.format()));
        return seen;
    }

    /** Topics that this version cannot read, by name. */
    public Collection<Unreadable> unreadable() {
        SortedMap<String, Unreadable> topics = new TreeMap<>();
        unreadable.values().forEach(found -> topics.merge(found.topic(), found, Unreadable::and));
        return List.copyOf(topics.values());
    }

    /** Called for each reply. It usually costs two reads of memory. */
    void readable(Shard shard) {
        if (!ownSeen) {
            ownSeen = true;
        }
        gone(shard);
    }

    void unreadable(Shard shard, String format, boolean wanted) {
        unreadable.merge(shard.messages(), new Unreadable(shard.topic(), format, wanted), Unreadable::and);
    }

    /** The shard is not unreadable any more, and the shards of other shard counts of its topic no longer exist. */
    void gone(Shard shard) {
        if (!unreadable.isEmpty()) {
            unreadable
                    .keySet()
                    .removeIf(other -> other.topic().equals(shard.topic())
                            && (other.index() == shard.index() || other.count() != shard.count()));
        }
    }

    /** The topic is not registered. */
    void gone(String topic) {
        unreadable.keySet().removeIf(shard -> shard.topic().equals(topic));
    }

    void retain(Set<String> registered) {
        unreadable.keySet().removeIf(shard -> !registered.contains(shard.topic()));
    }
}
