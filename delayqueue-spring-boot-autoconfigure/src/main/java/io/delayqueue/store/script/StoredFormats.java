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
 * In which formats this process found topics in Redis. Scripts compare that anyway, so nobody is asked: what nobody used,
 * looked at or sampled was not seen. Thread-safe.
 */
public final class StoredFormats {

    private final Map<Shard, Unreadable> unreadable = new ConcurrentHashMap<>();
    private volatile boolean ownSeen;

    StoredFormats() {}

    /**
     * A topic that this version cannot read. It is left alone.
     *
     * @param format in which it is stored, or a shard of it
     * @param wanted whether this process wanted more than to look: it sends to the topic or listens to it
     */
    public record Unreadable(String topic, String format, boolean wanted) {

        private Unreadable and(Unreadable other) {
            return new Unreadable(topic, other.format, wanted || other.wanted);
        }
    }

    /** Those that were seen: of this version, and of topics that it cannot read. */
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

    /** Called for each answer: as a rule it costs two reads. */
    void readable(Shard shard) {
        if (!ownSeen) {
            ownSeen = true;
        }
        gone(shard);
    }

    void unreadable(Shard shard, String format, boolean wanted) {
        unreadable.merge(shard.messages(), new Unreadable(shard.topic(), format, wanted), Unreadable::and);
    }

    /** It isn't there, and neither are those of the same topic by another count. */
    void gone(Shard shard) {
        if (!unreadable.isEmpty()) {
            unreadable
                    .keySet()
                    .removeIf(other -> other.topic().equals(shard.topic())
                            && (other.index() == shard.index() || other.count() != shard.count()));
        }
    }

    /** The topic isn't registered. */
    void gone(String topic) {
        unreadable.keySet().removeIf(shard -> shard.topic().equals(topic));
    }

    void retain(Set<String> registered) {
        unreadable.keySet().removeIf(shard -> !registered.contains(shard.topic()));
    }
}
