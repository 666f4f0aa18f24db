package io.delayqueue.store.script;

import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicNotEmptyException;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Deletes empty topics. Thread-safe.
 *
 * <p>Shards and registry cannot be changed atomically, because they are on different servers of a Cluster. Therefore
 * each shard is closed first, for the registered epoch: its keys are deleted, and for a day only later epochs can open
 * it. When all shards are closed for one epoch, the topic is unregistered, unless it has a later epoch.
 *
 * <p>A send during the deletion finds its shard closed, even if the topic is still registered. It then registers the
 * topic with a later epoch and the same shard count, before it opens the shard. So a shard accepts messages only while
 * its topic is registered, wherever a deletion stops and whatever others send or delete at the same time. A deletion
 * that stopped midway is completed by the next deletion or undone by the next send.
 */
public final class TopicDeletion {

    private static final LuaScript DELETE = LuaScript.beside(TopicDeletion.class, "delete");

    /** Much longer than the time between a read of the registry and the opening of a shard. */
    private static final Duration REMEMBERED = Duration.ofDays(1);

    /** Largest number of attempts. More than one is needed only if others use the topic at the same time. */
    private static final int ATTEMPTS = 20;

    private final ShardCalls calls;
    private final KeySpace keySpace;
    private final TopicRegistry registry;

    /** Creates the deletion of topics of one namespace. */
    public TopicDeletion(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.calls = new ShardCalls(scripts, keySpace, registry);
        this.keySpace = keySpace;
        this.registry = registry;
    }

    /**
     * Deletes a topic. If a shard holds messages or dead letters beforehand, nothing is changed. If a shard gets a
     * message during the deletion, the next use opens the shards that were closed before.
     *
     * @return whether the topic was deleted; false if it is not registered
     * @throws TopicNotEmptyException if the topic holds messages or dead letters
     * @throws TopicConflictException if others use the topic or register it again during all attempts
     * @throws io.delayqueue.redis.RedisCallException if a script has no reply
     */
    public boolean delete(String topic) {
        for (int i = 0; i < ATTEMPTS; i++) {
            // read the registry, because the cached epoch may have ended long ago
            Optional<List<Shard>> shards = Await.call(() -> registry.freshShards(topic));
            if (shards.isEmpty()) {
                return false;
            }
            if (delete(topic, shards.get())) {
                return true;
            }
        }
        throw new TopicConflictException("Topic " + Printable.of(topic) + " was not deleted, because others used it or"
                + " registered it again during each of " + ATTEMPTS + " attempts. Stop its users and try again.");
    }

    /** Returns false if the topic was registered again during the deletion. */
    private boolean delete(String topic, List<Shard> shards) {
        Set<Long> epochs = new HashSet<>();
        try {
            if (shards.size() > 1) {
                checkEmpty(topic, shards);
            }
            for (Shard shard : shards) {
                Optional<List<Object>> reply = run(shard, REMEMBERED);
                if (reply.isEmpty()) {
                    return false;
                }
                checkEmpty(topic, messages(reply.get()), deadLetters(reply.get()));
                epochs.add(Replies.number(reply.get().get(2)));
            }
        } catch (TopicRegisteredAnewException e) {
            return false;
        }
        if (epochs.size() > 1) {
            // another process may have opened a shard with the later epoch
            return false;
        }
        Await.call(() -> registry.unregister(
                topic, shards.get(0).shape(), epochs.iterator().next()));
        keySpace.forget(topic);
        return true;
    }

    private void checkEmpty(String topic, List<Shard> shards) {
        long messages = 0;
        long deadLetters = 0;
        for (Shard shard : shards) {
            Optional<List<Object>> reply = run(shard, Duration.ZERO);
            messages += reply.map(TopicDeletion::messages).orElse(0L);
            deadLetters += reply.map(TopicDeletion::deadLetters).orElse(0L);
        }
        checkEmpty(topic, messages, deadLetters);
    }

    private static void checkEmpty(String topic, long messages, long deadLetters) {
        if (messages + deadLetters > 0) {
            throw new TopicNotEmptyException(topic, messages, deadLetters);
        }
    }

    private Optional<List<Object>> run(Shard shard, Duration remembered) {
        return Await.call(() -> calls.runIfExists(
                DELETE,
                shard,
                ShardKeys::all,
                call -> call.add(ShardCalls.SENTINEL).add(remembered.toMillis())));
    }

    private static boolean holds(List<Object> reply) {
        return Replies.text(reply.get(1)).equals("h");
    }

    private static long messages(List<Object> reply) {
        return holds(reply) ? Replies.number(reply.get(2)) : 0;
    }

    private static long deadLetters(List<Object> reply) {
        return holds(reply) ? Replies.number(reply.get(3)) : 0;
    }
}
