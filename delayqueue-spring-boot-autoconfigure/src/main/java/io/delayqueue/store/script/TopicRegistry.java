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
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Which topics there are and how many shards each has. A topic registers itself when it is first sent to or listened to:
 * one command per process and topic. Looking into one does not register it. Thread-safe.
 */
public final class TopicRegistry {

    /** The version of everything that is stored. */
    public static final int FORMAT = 1;

    private static final Log log = LogFactory.getLog(TopicRegistry.class);
    private static final LuaScript REGISTER = LuaScript.beside(TopicRegistry.class, "register");
    private static final LuaScript UNREGISTER = LuaScript.beside(TopicRegistry.class, "unregister");
    private static final LuaScript TOPICS = LuaScript.beside(TopicRegistry.class, "topics");
    private static final int SHARDS = 1;
    /** As the shard count wanted: asks without registering. */
    private static final int NONE = 0;
    /** As the epoch that is over: none is. */
    private static final long NEVER = 0;

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final Map<String, Registration> known = new ConcurrentHashMap<>();
    private final Set<String> complainedOf = ConcurrentHashMap.newKeySet();

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
        return scripts.runAsync(REGISTER, 1, registerArguments(topic, SHARDS, NEVER))
                .thenApply(reply -> {
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

    /**
     * All registered topics, by name, but for those that this version cannot read, of which the log tells. One round trip.
     *
     * @throws io.delayqueue.redis.RedisCallException if Redis doesn't answer
     */
    public SortedSet<String> topics() {
        List<Object> reply = scripts.run(TOPICS, 1, keySpace.topics());
        SortedSet<String> topics = new TreeSet<>();
        for (int i = 0; i + 1 < reply.size(); i += 2) {
            String topic = Replies.text(reply.get(i));
            String[] registration = Replies.text(reply.get(i + 1)).split(":", 2);
            if (registration[0].equals(Integer.toString(SHARDS)) && registration.length == 2) {
                known.put(topic, new Registration(SHARDS, Long.parseLong(registration[1])));
                topics.add(topic);
            } else if (complainedOf.add(topic)) {
                log.warn("Topic " + topic + " is registered as " + String.join(":", registration)
                        + " (shards:epoch), which this version cannot read; it is left out of what is shown");
            }
        }
        known.keySet().retainAll(topics);
        return topics;
    }

    /**
     * Whether a topic is registered, asked anew.
     *
     * @throws io.delayqueue.redis.RedisCallException if Redis doesn't answer
     * @throws TopicConflictException if it was registered with another shard count
     */
    public boolean isRegistered(String topic) {
        forget(topic);
        return registeredIdentity(Shard.single(topic)).isPresent();
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
        List<Object> reply = scripts.run(REGISTER, 1, registerArguments(shard.topic(), NONE, NEVER));
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
        return scripts.runAsync(REGISTER, 1, registerArguments(shard.topic(), SHARDS, NEVER))
                .thenApply(reply -> remember(shard.topic(), reply).identity());
    }

    /** What this process is to believe of a shard which says that an epoch is over: a later one, registered if need be. */
    String identityAfter(Shard shard, long epoch) {
        byte[][] arguments = registerArguments(shard.topic(), SHARDS, epoch);
        return remember(shard.topic(), scripts.run(REGISTER, 1, arguments)).identity();
    }

    /** The same without blocking. */
    CompletableFuture<String> identityAfterAsync(Shard shard, long epoch) {
        return scripts.runAsync(REGISTER, 1, registerArguments(shard.topic(), SHARDS, epoch))
                .thenApply(reply -> remember(shard.topic(), reply).identity());
    }

    /** Takes a topic off the list, unless it was registered anew after an epoch. */
    void unregister(String topic, long epoch) {
        forget(topic);
        scripts.run(UNREGISTER, 1, keySpace.topics(), topic.getBytes(UTF_8), (SHARDS + ":" + epoch).getBytes(UTF_8));
    }

    /** Forgets what was believed of a topic; the registry is asked again when it is next used. */
    void forget(String topic) {
        known.remove(topic);
    }

    private Registration registration(String topic) {
        Registration registration = known.get(topic);
        return registration != null
                ? registration
                : remember(topic, scripts.run(REGISTER, 1, registerArguments(topic, SHARDS, NEVER)));
    }

    private byte[][] registerArguments(String topic, int shards, long over) {
        return new byte[][] {
            keySpace.topics(),
            topic.getBytes(UTF_8),
            Integer.toString(shards).getBytes(UTF_8),
            Long.toString(over).getBytes(UTF_8)
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
