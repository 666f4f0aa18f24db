package io.delayqueue.store.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Which topics there are and how many shards each has. Thread-safe.
 *
 * <p>Whoever sends, listens or pulls asks by {@code shard…}: a topic registers itself when this process uses it for the
 * first time, one command per process and topic, and is refused if it is registered with another count than the
 * {@linkplain ShardPlan plan} says. Whoever only looks, or changes what is there, goes by the registry, whatever the plan
 * says, and registers nothing.
 */
public final class TopicRegistry {

    /** The version of everything that is stored. */
    public static final int FORMAT = 1;

    private static final Log log = LogFactory.getLog(TopicRegistry.class);
    private static final LuaScript REGISTER = LuaScript.beside(TopicRegistry.class, "register");
    private static final LuaScript UNREGISTER = LuaScript.beside(TopicRegistry.class, "unregister");
    private static final LuaScript TOPICS = LuaScript.beside(TopicRegistry.class, "topics");
    /** As the shard count wanted: asks without registering. */
    private static final int NONE = 0;
    /** As the epoch that is over: none is. */
    private static final long NEVER = 0;

    /** How often a call is made anew. More than once takes somebody who registers the topic anew all the time. */
    private static final int LOOKS = 20;

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final ShardPlan plan;
    private final Map<String, Registration> known = new ConcurrentHashMap<>();
    /** Survives what is forgotten of a topic, so that a lost registration is made again as it was. */
    private final Map<String, Integer> lastCounts = new ConcurrentHashMap<>();

    private final Set<String> complainedOf = ConcurrentHashMap.newKeySet();
    private final StoredFormats formats = new StoredFormats();

    /** Over the scripts and names of one namespace; nothing is planned. */
    public TopicRegistry(ScriptRunner scripts, KeySpace keySpace) {
        this(scripts, keySpace, ShardPlan.NONE);
    }

    /** Over the scripts and names of one namespace. */
    public TopicRegistry(ScriptRunner scripts, KeySpace keySpace, ShardPlan plan) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.plan = plan;
    }

    /** How many shards topics are to have. */
    public ShardPlan plan() {
        return plan;
    }

    /** In which formats this process found topics. */
    public StoredFormats formats() {
        return formats;
    }

    /** Says once of a topic that it cannot be shown. */
    public void leftOut(String topic, TopicConflictException why) {
        if (complainedOf.add(topic)) {
            log.warn("Topic " + topic + " is left out of what is shown: " + why.getMessage());
        }
    }

    /**
     * The shard in which a message lives. Registers the topic if this process didn't use it before.
     *
     * @throws io.delayqueue.redis.RedisCallException if it was not registered before and Redis doesn't answer
     * @throws TopicConflictException if it is registered with another count than is planned
     */
    public Shard shardOf(String topic, String id) {
        return registration(topic).of(id);
    }

    /** The same without asking Redis; empty if this process didn't use the topic before. */
    public Optional<Shard> knownShardOf(String topic, String id) {
        Registration registration = knownToBeUsable(topic);
        return registration == null ? Optional.empty() : Optional.of(registration.of(id));
    }

    /**
     * The shard in which a message lives by what this process was told last, even if that is being asked anew; empty if it
     * was told nothing. Never asks Redis.
     */
    public Optional<Shard> likelyShardOf(String topic, String id) {
        Registration registration = known.get(topic);
        if (registration != null) {
            return Optional.of(registration.of(id));
        }
        Integer count = lastCounts.get(topic);
        return count == null ? Optional.empty() : Optional.of(Shard.of(topic, id, count));
    }

    /** What {@link #shardOf} does, without blocking. */
    public CompletableFuture<Shard> shardOfAsync(String topic, String id) {
        return registrationAsync(topic).thenApply(registration -> registration.of(id));
    }

    /**
     * All shards of a topic, by their index. Registers it if this process didn't use it before.
     *
     * @throws io.delayqueue.redis.RedisCallException if it was not registered before and Redis doesn't answer
     * @throws TopicConflictException if it is registered with another count than is planned
     */
    public List<Shard> shards(String topic) {
        return registration(topic).shards();
    }

    /** The same without blocking. */
    public CompletableFuture<List<Shard>> shardsAsync(String topic) {
        return registrationAsync(topic).thenApply(Registration::shards);
    }

    /**
     * All shards of a topic, by their index, as it is registered; empty if it isn't. Registers nothing, and asks only when
     * this process doesn't know the topic.
     *
     * @throws io.delayqueue.redis.RedisCallException if Redis is asked and doesn't answer
     * @throws TopicConflictException if it is registered in a way that this version cannot read
     */
    public Optional<List<Shard>> registeredShards(String topic) {
        return registered(topic).map(Registration::shards);
    }

    /** The same without blocking. */
    public CompletableFuture<Optional<List<Shard>>> registeredShardsAsync(String topic) {
        return registeredAsync(topic).thenApply(found -> found.map(Registration::shards));
    }

    /**
     * Looks for a message; again when it turns out that the topic was registered anew with another count.
     *
     * @return what the call gave; empty if the topic isn't registered
     */
    public <T> Optional<T> lookFor(String topic, String id, Function<Shard, T> call) {
        return look(topic, registration -> call.apply(registration.of(id)));
    }

    /**
     * Looks through all shards of a topic, by their index; again from the beginning when it turns out that the topic
     * was registered anew with another count.
     *
     * @return what the call gave; empty if the topic isn't registered
     */
    public <T> Optional<T> lookThrough(String topic, Function<List<Shard>, T> call) {
        return look(topic, registration -> call.apply(registration.shards()));
    }

    private <T> Optional<T> look(String topic, Function<Registration, T> call) {
        for (int i = 1; ; i++) {
            Optional<Registration> believed = registered(topic);
            try {
                return believed.map(call);
            } catch (TopicRegisteredAnewException e) {
                if (i == LOOKS) {
                    throw e;
                }
            }
        }
    }

    /**
     * All registered topics, by name, but for those that this version cannot read, of which the log tells. One round trip.
     *
     * @throws io.delayqueue.redis.RedisCallException if Redis doesn't answer
     */
    public SortedSet<String> topics() {
        List<Object> reply = scripts.run(TOPICS, 1, keySpace.topics());
        SortedSet<String> topics = new TreeSet<>();
        Set<String> registered = new HashSet<>();
        for (int i = 0; i + 1 < reply.size(); i += 2) {
            String topic = Replies.text(reply.get(i));
            registered.add(topic);
            String text = Replies.text(reply.get(i + 1));
            Registration registration = Registration.read(topic, text, plan);
            if (registration != null) {
                remember(topic, registration);
                topics.add(topic);
            } else if (complainedOf.add(topic)) {
                log.warn("Topic " + topic + " is registered as " + text
                        + " (shards:epoch), which this version cannot read; it is left out of what is shown");
            }
        }
        known.keySet().retainAll(topics);
        formats.retain(registered);
        return topics;
    }

    /**
     * Whether a topic is registered, asked anew.
     *
     * @throws io.delayqueue.redis.RedisCallException if Redis doesn't answer
     * @throws TopicConflictException if it is registered in a way that this version cannot read
     */
    public boolean isRegistered(String topic) {
        forget(topic);
        return registered(topic).isPresent();
    }

    /** What this process believes a shard to be, as its scripts compare it. */
    String identity(Shard shard) {
        Registration registration = known.get(shard.topic());
        return (registration != null ? registration : ask(shard.topic(), wish(shard), NEVER)).identityFor(shard);
    }

    /** The same, but registers nothing: empty if the topic is not registered. That is asked anew by each call. */
    Optional<String> registeredIdentity(Shard shard) {
        return registered(shard.topic()).map(registration -> registration.identityFor(shard));
    }

    /** The same without blocking. */
    CompletableFuture<Optional<String>> registeredIdentityAsync(Shard shard) {
        return registeredAsync(shard.topic())
                .thenApply(registered -> registered.map(registration -> registration.identityFor(shard)));
    }

    /** What {@link #identity} says, without blocking. */
    CompletableFuture<String> identityAsync(Shard shard) {
        Registration registration = known.get(shard.topic());
        CompletableFuture<Registration> asked = registration != null
                ? CompletableFuture.completedFuture(registration)
                : askAsync(shard.topic(), wish(shard), NEVER);
        return asked.thenApply(answer -> answer.identityFor(shard));
    }

    /** What this process is to believe of a shard which says that an epoch is over: a later one, registered if need be. */
    String identityAfter(Shard shard, long epoch) {
        return ask(shard.topic(), wish(shard), epoch).identityFor(shard);
    }

    /** The same without blocking. */
    CompletableFuture<String> identityAfterAsync(Shard shard, long epoch) {
        return askAsync(shard.topic(), wish(shard), epoch).thenApply(answer -> answer.identityFor(shard));
    }

    /** Takes a topic off the list, unless it was registered anew after an epoch. */
    void unregister(String topic, int count, long epoch) {
        forget(topic);
        lastCounts.remove(topic);
        scripts.run(UNREGISTER, 1, keySpace.topics(), topic.getBytes(UTF_8), (count + ":" + epoch).getBytes(UTF_8));
    }

    /** Forgets what was believed of a topic; the registry is asked again when it is next used. */
    void forget(String topic) {
        known.remove(topic);
    }

    private @Nullable Registration knownToBeUsable(String topic) {
        Registration registration = known.get(topic);
        return registration == null || registration.objection() != null ? null : registration;
    }

    private Registration registration(String topic) {
        Registration registration = knownToBeUsable(topic);
        return registration != null
                ? registration
                : ask(topic, wish(topic), NEVER).usable();
    }

    private CompletableFuture<Registration> registrationAsync(String topic) {
        Registration registration = knownToBeUsable(topic);
        return registration != null
                ? CompletableFuture.completedFuture(registration)
                : askAsync(topic, wish(topic), NEVER).thenApply(Registration::usable);
    }

    private Optional<Registration> registered(String topic) {
        Registration registration = known.get(topic);
        if (registration != null) {
            return Optional.of(registration);
        }
        List<Object> reply = scripts.run(REGISTER, 1, registerArguments(topic, NONE, NEVER));
        return isNone(reply) ? Optional.empty() : Optional.of(remember(topic, read(topic, reply)));
    }

    private CompletableFuture<Optional<Registration>> registeredAsync(String topic) {
        Registration registration = known.get(topic);
        if (registration != null) {
            return CompletableFuture.completedFuture(Optional.of(registration));
        }
        return scripts.runAsync(REGISTER, 1, registerArguments(topic, NONE, NEVER))
                .thenApply(
                        reply -> isNone(reply) ? Optional.empty() : Optional.of(remember(topic, read(topic, reply))));
    }

    private static boolean isNone(List<Object> reply) {
        return Replies.text(reply.get(0)).equals(Integer.toString(NONE));
    }

    /** What a topic is registered with if it isn't registered yet. */
    private int wish(String topic) {
        return plan.of(topic).orElseGet(() -> lastCounts.getOrDefault(topic, 1));
    }

    private int wish(Shard shard) {
        return plan.of(shard.topic()).orElse(shard.count());
    }

    private Registration ask(String topic, int wish, long over) {
        return remember(topic, read(topic, scripts.run(REGISTER, 1, registerArguments(topic, wish, over))));
    }

    private CompletableFuture<Registration> askAsync(String topic, int wish, long over) {
        return scripts.runAsync(REGISTER, 1, registerArguments(topic, wish, over))
                .thenApply(reply -> remember(topic, read(topic, reply)));
    }

    private byte[][] registerArguments(String topic, int shards, long over) {
        return new byte[][] {
            keySpace.topics(),
            topic.getBytes(UTF_8),
            Integer.toString(shards).getBytes(UTF_8),
            Long.toString(over).getBytes(UTF_8)
        };
    }

    private Registration read(String topic, List<Object> reply) {
        String text = Replies.text(reply.get(0)) + (reply.size() > 1 ? ":" + Replies.text(reply.get(1)) : "");
        Registration registration = Registration.read(topic, text, plan);
        if (registration == null) {
            throw new TopicConflictException("Topic " + topic + " is registered as " + text
                    + " (shards:epoch), which this version cannot read. Nothing was written. Use a newer version, or"
                    + " another topic.");
        }
        return registration;
    }

    private Registration remember(String topic, Registration read) {
        Registration last = known.merge(topic, read, Registration::orLater);
        lastCounts.put(topic, last.count());
        if (last.objection() == null
                && plan.contradicts(topic, last.count())
                && complainedOf.add(topic + ":" + last.count())) {
            log.warn("Topic " + topic + " is registered with " + Registration.counted(last.count())
                    + ", which is followed here, although delayqueue.topics[" + topic + "].shards is "
                    + plan.of(topic).getAsInt());
        }
        return last;
    }
}
