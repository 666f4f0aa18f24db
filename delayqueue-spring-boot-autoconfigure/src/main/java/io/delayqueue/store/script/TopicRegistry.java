package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TopicConflictException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which topics there are and how many shards each has. A topic registers itself when it is first sent to or listened to:
 * one command per process and topic. Looking into one does not register it. Thread-safe.
 */
public final class TopicRegistry {

    /** The version of everything that is stored. */
    static final int FORMAT = 1;

    private static final LuaScript REGISTER = LuaScript.beside(TopicRegistry.class, "register");
    private static final int SHARDS = 1;
    /** As the shard count wanted: asks without registering. */
    private static final int NONE = 0;

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final Map<String, Registration> known = new ConcurrentHashMap<>();

    private record Registration(int shards, long epoch) {
        String identity() {
            return FORMAT + ":" + shards + ":" + epoch;
        }
    }

    /** Over the scripts and names of one namespace. */
    public TopicRegistry(ScriptRunner scripts, KeySpace keySpace) {
        this.scripts = scripts;
        this.keySpace = keySpace;
    }

    /**
     * The shard in which a message lives. Registers the topic if this process didn't use it before.
     *
     * @throws io.delayqueue.redis.RedisCallException if it was not registered before and Redis doesn't answer
     * @throws TopicConflictException if it was registered with another shard count
     */
    public Shard shardOf(String topic, String id) {
        registration(topic);
        return shard(topic, id);
    }

    /** The same without asking Redis; empty if this process didn't use the topic before. */
    public Optional<Shard> knownShardOf(String topic, String id) {
        return known.containsKey(topic) ? Optional.of(shard(topic, id)) : Optional.empty();
    }

    /** The same without blocking. */
    public CompletableFuture<Shard> shardOfAsync(String topic, String id) {
        if (known.containsKey(topic)) {
            return CompletableFuture.completedFuture(shard(topic, id));
        }
        return scripts.runAsync(REGISTER, 1, registerArguments(topic, SHARDS)).thenApply(reply -> {
            remember(topic, reply);
            return shard(topic, id);
        });
    }

    /** The shard to look for a message in, whether the topic is registered or not. Never asks Redis. */
    public Shard whereToLookFor(String topic, String id) {
        return shard(topic, id);
    }

    /** All shards of a topic, by their index. Never asks Redis. */
    public List<Shard> shards(String topic) {
        return List.of(new Shard(topic, 0, SHARDS, Lane.MESSAGES));
    }

    private static Shard shard(String topic, String id) {
        // with one shard every id is in it; the id is what more of them will be chosen by
        return id.isEmpty() ? Shard.single(topic) : new Shard(topic, 0, SHARDS, Lane.MESSAGES);
    }

    /** What this process believes a shard to be, as its scripts compare it. */
    String identity(Shard shard) {
        return registration(shard.topic()).identity();
    }

    /** The same, but registers nothing: empty if the topic is not registered. That is asked anew by each call. */
    Optional<String> registeredIdentity(Shard shard) {
        Registration registration = known.get(shard.topic());
        if (registration != null) {
            return Optional.of(registration.identity());
        }
        List<Object> reply = scripts.run(REGISTER, 1, registerArguments(shard.topic(), NONE));
        return Replies.number(reply.get(0)) == NONE
                ? Optional.empty()
                : Optional.of(remember(shard.topic(), reply).identity());
    }

    /** What {@link #identity} says, without blocking. */
    CompletableFuture<String> identityAsync(Shard shard) {
        Registration registration = known.get(shard.topic());
        if (registration != null) {
            return CompletableFuture.completedFuture(registration.identity());
        }
        return scripts.runAsync(REGISTER, 1, registerArguments(shard.topic(), SHARDS))
                .thenApply(reply -> remember(shard.topic(), reply).identity());
    }

    /** Forgets what was believed of a topic; the registry is asked again when it is next used. */
    void forget(String topic) {
        known.remove(topic);
    }

    private Registration registration(String topic) {
        Registration registration = known.get(topic);
        return registration != null
                ? registration
                : remember(topic, scripts.run(REGISTER, 1, registerArguments(topic, SHARDS)));
    }

    private byte[][] registerArguments(String topic, int shards) {
        return new byte[][] {
            keySpace.topics(), topic.getBytes(UTF_8), Integer.toString(shards).getBytes(UTF_8)
        };
    }

    private Registration remember(String topic, List<Object> reply) {
        int shards = (int) Replies.number(reply.get(0));
        if (shards != SHARDS) {
            throw new TopicConflictException("Topic " + topic + " is registered with " + shards
                    + " shards, but this version knows topics of one shard only. Use a version that knows more, or"
                    + " another topic.");
        }
        Registration registration = new Registration(shards, Replies.number(reply.get(1)));
        known.put(topic, registration);
        return registration;
    }
}
