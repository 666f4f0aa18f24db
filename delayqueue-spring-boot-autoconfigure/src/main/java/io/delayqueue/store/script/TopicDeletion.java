package io.delayqueue.store.script;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TopicNotEmptyException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Deletes topics that hold nothing. Thread-safe.
 *
 * <p>A shard and the registry cannot be changed at once, since they lie on different servers of a Cluster. So the shard is
 * closed first, for the epoch that the registry has: what is there of it goes, and for a day it can be opened by later
 * epochs only. Then the registration goes, unless it is a later one. Whoever sends in between, by what he knows or by
 * what the registry still says, finds the shard closed, and registers the topic anew before he opens it. Hence a message
 * is only ever accepted by a shard whose topic stands in the registry, wherever a deletion stops, and whoever deletes or
 * sends meanwhile. A deletion that stopped in between is finished by the next one, or undone by the next send.
 */
public final class TopicDeletion {

    private static final LuaScript DELETE = LuaScript.beside(TopicDeletion.class, "delete");

    /** Longer than anybody who asked the registry takes to open a shard. */
    private static final Duration REMEMBERED = Duration.ofDays(1);

    private final ShardCalls calls;
    private final KeySpace keySpace;
    private final TopicRegistry registry;

    /** Over the scripts and names of one namespace. */
    public TopicDeletion(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.calls = new ShardCalls(scripts, keySpace, registry);
        this.keySpace = keySpace;
        this.registry = registry;
    }

    /**
     * Deletes a topic.
     *
     * @return false if it isn't registered
     * @throws TopicNotEmptyException if it holds messages or dead letters
     */
    public boolean delete(String topic) {
        // an epoch that was over long ago might be believed here, and its end is nobody's matter any more
        registry.forget(topic);
        long epoch = 0;
        for (Shard shard : registry.shards(topic)) {
            Optional<List<Object>> reply = calls.look(
                    DELETE,
                    shard,
                    ShardKeyList.EVER,
                    arguments -> arguments.add(ShardCalls.SENTINEL).add(REMEMBERED.toMillis()));
            if (reply.isEmpty()) {
                return false;
            }
            epoch = epoch(topic, reply.get());
        }
        registry.unregister(topic, epoch);
        keySpace.forget(topic);
        return true;
    }

    private static long epoch(String topic, List<Object> reply) {
        if (Replies.text(reply.get(1)).equals("h")) {
            throw new TopicNotEmptyException(topic, Replies.number(reply.get(2)), Replies.number(reply.get(3)));
        }
        return Replies.number(reply.get(2));
    }
}
