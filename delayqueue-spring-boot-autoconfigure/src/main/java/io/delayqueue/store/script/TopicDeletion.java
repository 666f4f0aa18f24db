package io.delayqueue.store.script;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicNotEmptyException;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Deletes topics that hold nothing. Thread-safe.
 *
 * <p>Shards and the registry cannot be changed at once, since they lie on different servers of a Cluster. So each shard is
 * closed first, for the epoch that the registry has: what is there of it goes, and for a day it can be opened by later
 * epochs only. When all are closed for one epoch, the registration goes, unless it is a later one. Whoever sends in
 * between, by what he knows or by what the registry still says, finds his shard closed, and has the topic registered for a
 * later epoch, with as many shards as before, before he opens it. Hence a message is only ever accepted by a shard whose
 * topic stands in the registry, wherever a deletion stops, and whoever deletes or sends meanwhile. A deletion that stopped
 * in between is finished by the next one, or undone by the next send.
 */
public final class TopicDeletion {

    private static final LuaScript DELETE = LuaScript.beside(TopicDeletion.class, "delete");

    /** Longer than anybody who asked the registry takes to open a shard. */
    private static final Duration REMEMBERED = Duration.ofDays(1);

    /** How often it begins anew. More than once takes somebody who uses the topic just then. */
    private static final int ATTEMPTS = 20;

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
     * Deletes a topic. Nothing of it is touched if any shard holds something beforehand; if one does so only meanwhile,
     * those that were closed before are opened again by the next use.
     *
     * @return false if it isn't registered
     * @throws TopicNotEmptyException if it holds messages or dead letters
     */
    public boolean delete(String topic) {
        for (int i = 0; i < ATTEMPTS; i++) {
            // an epoch that was over long ago might be believed here, and its end is nobody's matter any more
            registry.forget(topic);
            Optional<List<Shard>> shards = registry.registeredShards(topic);
            if (shards.isEmpty()) {
                return false;
            }
            if (delete(topic, shards.get())) {
                return true;
            }
        }
        throw new TopicConflictException("Topic " + topic + " was used or registered anew by others " + ATTEMPTS
                + " times while it was to be deleted. It is still there. Try again.");
    }

    /** False if the topic came to be another one meanwhile. */
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
                checkEmpty(topic, messages(reply.get()), letters(reply.get()));
                epochs.add(Replies.number(reply.get().get(2)));
            }
        } catch (TopicRegisteredAnewException e) {
            return false;
        }
        if (epochs.size() > 1) {
            // a shard may have been opened behind this deletion's back, by the later epoch
            return false;
        }
        registry.unregister(topic, shards.size(), epochs.iterator().next());
        keySpace.forget(topic);
        return true;
    }

    private void checkEmpty(String topic, List<Shard> shards) {
        long messages = 0;
        long letters = 0;
        for (Shard shard : shards) {
            Optional<List<Object>> reply = run(shard, Duration.ZERO);
            messages += reply.map(TopicDeletion::messages).orElse(0L);
            letters += reply.map(TopicDeletion::letters).orElse(0L);
        }
        checkEmpty(topic, messages, letters);
    }

    private static void checkEmpty(String topic, long messages, long letters) {
        if (messages + letters > 0) {
            throw new TopicNotEmptyException(topic, messages, letters);
        }
    }

    private Optional<List<Object>> run(Shard shard, Duration remembered) {
        return calls.look(
                DELETE,
                shard,
                ShardKeyList.EVER,
                arguments -> arguments.add(ShardCalls.SENTINEL).add(remembered.toMillis()));
    }

    private static boolean holds(List<Object> reply) {
        return Replies.text(reply.get(1)).equals("h");
    }

    private static long messages(List<Object> reply) {
        return holds(reply) ? Replies.number(reply.get(2)) : 0;
    }

    private static long letters(List<Object> reply) {
        return holds(reply) ? Replies.number(reply.get(3)) : 0;
    }
}
