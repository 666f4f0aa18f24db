package io.delayqueue.store.script;

import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TooManyTopicsException;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The registry of topics and their shard counts. Thread-safe.
 *
 * <ul>
 *   <li>Senders and listeners use {@link #shardOf} and {@link #shards}. They register the topic on its first use in
 *       this process, with one command. They are rejected if the registered shard count contradicts the {@linkplain
 *       ShardPlan plan}.
 *   <li>Receivers use {@link #usableShards}. They register nothing, but the plan applies.
 *   <li>All others use {@link #registeredShards}, {@link #withShard} and {@link #withShards}. They register nothing,
 *       and the plan does not apply.
 * </ul>
 */
public final class TopicRegistry {

    /** The version of the stored format. */
    public static final int FORMAT = 1;

    private static final Log log = LogFactory.getLog(TopicRegistry.class);
    private static final LuaScript REGISTER = LuaScript.beside(TopicRegistry.class, "register");
    private static final LuaScript UNREGISTER = LuaScript.beside(TopicRegistry.class, "unregister");
    private static final LuaScript TOPICS = LuaScript.beside(TopicRegistry.class, "topics");
    /** The script's reply if the limit of topics is reached. */
    private static final String FULL = "full";
    /** As a shard count: the topic is not registered. As a limit of topics: there is no limit. */
    private static final int NONE = 0;
    /** Stands for an ended epoch if no epoch has ended. */
    private static final long NONE_IS_OVER = 0;

    /** Largest number of calls. More than two are needed only if others register the topic again repeatedly. */
    private static final int CALLS = 20;

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final ShardPlan plan;
    private final Map<String, Registration> known = new ConcurrentHashMap<>();
    /**
     * The last shard count of each topic. It is kept when the registration is removed from the cache, so that a topic
     * whose registration is lost is registered with the same shard count.
     */
    private final Map<String, Integer> lastCounts = new ConcurrentHashMap<>();

    private final Set<String> complainedOf = ConcurrentHashMap.newKeySet();
    /** Shards that this version cannot read. It needs no further calls, because scripts compare formats anyway. */
    private final Map<Shard, UnreadableTopic> unreadable = new ConcurrentHashMap<>();

    private volatile boolean ownFormatSeen;

    /** Creates the registry of one namespace without a plan. */
    public TopicRegistry(ScriptRunner scripts, KeySpace keySpace) {
        this(scripts, keySpace, ShardPlan.NONE);
    }

    /** Creates the registry of one namespace. */
    public TopicRegistry(ScriptRunner scripts, KeySpace keySpace, ShardPlan plan) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.plan = plan;
    }

    /** The planned shard counts. */
    public ShardPlan plan() {
        return plan;
    }

    /**
     * A topic that this version cannot read and does not change.
     *
     * @param format stored format of the topic or of one of its shards
     * @param wanted whether this process tried to send to the topic, listen to it or receive from it
     */
    public record UnreadableTopic(String topic, String format, boolean wanted) {

        private UnreadableTopic and(UnreadableTopic other) {
            return new UnreadableTopic(topic, other.format, wanted || other.wanted);
        }
    }

    /**
     * The stored formats of topics that this process has used, inspected or sampled: the format of this version, and
     * those of unreadable topics.
     */
    public SortedSet<String> seenFormats() {
        SortedSet<String> seen = new TreeSet<>();
        if (ownFormatSeen) {
            seen.add(Integer.toString(FORMAT));
        }
        unreadable.values().forEach(found -> seen.add(found.format()));
        return seen;
    }

    /** Topics that this version cannot read, by name, among those that this process has used, inspected or sampled. */
    public Collection<UnreadableTopic> unreadableTopics() {
        SortedMap<String, UnreadableTopic> topics = new TreeMap<>();
        unreadable.values().forEach(found -> topics.merge(found.topic(), found, UnreadableTopic::and));
        return List.copyOf(topics.values());
    }

    /** Records that this version can read a shard. Called for each reply, and usually only reads two fields. */
    void readable(Shard shard) {
        if (!ownFormatSeen) {
            ownFormatSeen = true;
        }
        notUnreadable(shard);
    }

    void unreadable(Shard shard, String format, boolean wanted) {
        unreadable.merge(shard.messages(), new UnreadableTopic(shard.topic(), format, wanted), UnreadableTopic::and);
    }

    /** Forgets that a shard was unreadable, and all shards of its topic with another count: they no longer exist. */
    void notUnreadable(Shard shard) {
        if (!unreadable.isEmpty()) {
            unreadable
                    .keySet()
                    .removeIf(other -> other.topic().equals(shard.topic())
                            && (other.index() == shard.index() || other.count() != shard.count()));
        }
    }

    void notRegistered(String topic) {
        unreadable.keySet().removeIf(shard -> shard.topic().equals(topic));
    }

    /** Logs a warning that a topic cannot be shown, once for each topic. */
    public void leftOut(String topic, TopicConflictException why) {
        if (complainedOf.add(topic)) {
            log.warn("Topic " + Printable.of(topic) + " is not shown: " + why.getMessage());
        }
    }

    /** The shard of a message, from the cache; empty if this process has not used the topic yet. Never calls Redis. */
    public Optional<Shard> knownShardOf(String topic, String id) {
        Registration registration = knownToBeUsable(topic);
        return registration == null ? Optional.empty() : Optional.of(registration.of(id));
    }

    /**
     * The shard of a message according to the last known shard count, even if the registration is being read again;
     * empty if no shard count is known. Never calls Redis.
     */
    public Optional<Shard> likelyShardOf(String topic, String id) {
        Registration registration = known.get(topic);
        if (registration != null) {
            return Optional.of(registration.of(id));
        }
        Integer count = lastCounts.get(topic);
        return count == null ? Optional.empty() : Optional.of(Shard.of(topic, id, count));
    }

    /**
     * The shard of a message. Registers the topic if this process has not used it yet.
     *
     * @return the shard; fails with a {@link io.delayqueue.redis.RedisCallException} if the topic is not cached and the
     *     script has no reply, and with a {@link TopicConflictException} if the registered shard count contradicts the
     *     plan
     */
    public CompletableFuture<Shard> shardOf(String topic, String id) {
        return registration(topic).thenApply(registration -> registration.of(id));
    }

    /** All shards of a topic by index. Registers and fails like {@link #shardOf}. */
    public CompletableFuture<List<Shard>> shards(String topic) {
        return registration(topic).thenApply(Registration::shards);
    }

    /**
     * All shards of a registered topic by index; empty if the topic is not registered. Registers nothing. Calls Redis
     * only if the topic is not cached.
     *
     * @return the shards; fails with a {@link io.delayqueue.redis.RedisCallException} if the script has no reply, and
     *     with a {@link TopicConflictException} if this version cannot read the registration
     */
    public CompletableFuture<Optional<List<Shard>>> registeredShards(String topic) {
        return registered(topic).thenApply(found -> found.map(Registration::shards));
    }

    /** Like {@link #registeredShards}, but always reads the registration from Redis. */
    public CompletableFuture<Optional<List<Shard>>> freshShards(String topic) {
        forget(topic);
        return registeredShards(topic);
    }

    /**
     * Like {@link #registeredShards}, for receivers: also fails with a {@link TopicConflictException} if the
     * registered shard count contradicts the plan.
     */
    public CompletableFuture<Optional<List<Shard>>> usableShards(String topic) {
        Registration registration = knownToBeUsable(topic);
        return registration != null
                ? CompletableFuture.completedFuture(Optional.of(registration.shards()))
                : readRegistration(topic, NONE, NONE_IS_OVER)
                        .thenApply(found -> found.map(Registration::usable).map(Registration::shards));
    }

    /** The shards that a topic would have if this process registered it now. Never calls Redis. */
    public List<Shard> expectedShards(String topic) {
        return Shard.all(topic, wish(topic));
    }

    /**
     * Registers a topic if this process has not used it yet, unless the limit of topics is reached.
     *
     * @param max largest number of registered topics, including this one
     * @return completes when the topic is registered; fails with a {@link TooManyTopicsException} if the topic is not
     *     registered and the limit is reached, and like {@link #shardOf}
     */
    public CompletableFuture<Void> registerWithin(String topic, int max) {
        return knownToBeUsable(topic) != null
                ? CompletableFuture.completedFuture(null)
                : scripts.run(register(topic, wish(topic), NONE_IS_OVER, max))
                        .thenAccept(reply -> admitted(topic, max, reply));
    }

    private void admitted(String topic, int max, List<Object> reply) {
        if (Replies.text(reply.get(0)).equals(FULL)) {
            throw new TooManyTopicsException(topic, max);
        }
        remember(topic, read(topic, reply)).usable();
    }

    /**
     * Makes a call for the shard of a message.
     *
     * @return the result of the call; empty if the topic is not registered
     */
    public <T> CompletableFuture<Optional<T>> withShard(
            String topic, String id, Function<Shard, CompletableFuture<T>> call) {
        return repeated(() -> registered(topic), registration -> call.apply(registration.of(id)), CALLS);
    }

    /**
     * Makes a call for all shards of a topic by index.
     *
     * @return the result of the call; empty if the topic is not registered
     */
    public <T> CompletableFuture<Optional<T>> withShards(
            String topic, Function<List<Shard>, CompletableFuture<T>> call) {
        return repeated(() -> registered(topic), registration -> call.apply(registration.shards()), CALLS);
    }

    /**
     * Like {@link #withShards}, for calls that block the calling thread.
     *
     * @throws io.delayqueue.redis.RedisCallException if a script has no reply
     * @throws TopicConflictException if this version cannot read the registration
     */
    public <T> Optional<T> awaitWithShards(String topic, Function<List<Shard>, T> call) {
        for (int left = CALLS; ; left--) {
            Optional<List<Shard>> shards = Await.call(() -> registeredShards(topic));
            try {
                return shards.map(call);
            } catch (TopicRegisteredAnewException e) {
                if (left == 1) {
                    throw e;
                }
            }
        }
    }

    /**
     * Makes a call that stores messages, for the shard of one of them. Registers the topic if this process has not used
     * it yet.
     */
    public <T> CompletableFuture<T> sendTo(String topic, String id, Function<Shard, CompletableFuture<T>> call) {
        return repeated(
                        () -> registration(topic).thenApply(Optional::of),
                        registration -> call.apply(registration.of(id)),
                        CALLS)
                .thenApply(Optional::orElseThrow);
    }

    /** Repeats the call if the topic was deleted and registered again with another shard count, which is now cached. */
    private static <T> CompletableFuture<Optional<T>> repeated(
            Supplier<CompletableFuture<Optional<Registration>>> registration,
            Function<Registration, CompletableFuture<T>> call,
            int left) {
        return registration
                .get()
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.<T>empty())
                        : call.apply(found.get()).thenApply(Optional::of))
                .exceptionallyCompose(failure -> {
                    Throwable cause = Completions.cause(failure);
                    return cause instanceof TopicRegisteredAnewException && left > 1
                            ? repeated(registration, call, left - 1)
                            : CompletableFuture.failedFuture(cause);
                });
    }

    /**
     * All registered topics by name, in one round trip. Topics that this version cannot read are omitted and logged.
     *
     * @return the topics; fails with a {@link io.delayqueue.redis.RedisCallException} if the script has no reply
     */
    public CompletableFuture<SortedSet<String>> topics() {
        return scripts.run(new ScriptCall(TOPICS, keySpace.topics())).thenApply(this::readTopics);
    }

    private SortedSet<String> readTopics(List<Object> reply) {
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
                log.warn("Topic " + Printable.of(topic) + " is registered as " + text
                        + " (shards:epoch), which this version cannot read. The topic is not shown.");
            }
        }
        known.keySet().retainAll(topics);
        unreadable.keySet().removeIf(shard -> !registered.contains(shard.topic()));
        return topics;
    }

    /**
     * The identity of a shard that scripts compare: format, shard count and epoch.
     *
     * @param register whether to register the topic if it is not registered
     * @param over epoch that has ended according to the shard, 0 for none; a registered topic then gets a later epoch
     * @return the identity; empty if the topic is not registered; fails with a {@link TopicRegisteredAnewException} if
     *     the topic has another shard count than the shard
     */
    CompletableFuture<Optional<String>> identity(Shard shard, boolean register, long over) {
        Registration registration = over == NONE_IS_OVER ? known.get(shard.topic()) : null;
        CompletableFuture<Optional<Registration>> registered = registration != null
                ? CompletableFuture.completedFuture(Optional.of(registration))
                : readRegistration(
                        shard.topic(), register ? plan.of(shard.topic()).orElse(shard.count()) : NONE, over);
        return registered.thenApply(found -> found.map(present -> present.identityFor(shard)));
    }

    /** Unregisters a topic, unless it was registered again after the epoch. */
    CompletableFuture<List<Object>> unregister(String topic, int count, long epoch) {
        forget(topic);
        lastCounts.remove(topic);
        return scripts.run(
                new ScriptCall(UNREGISTER, keySpace.topics()).add(topic).add(count + ":" + epoch));
    }

    /** Removes a topic from the cache. The next use reads its registration from Redis. */
    void forget(String topic) {
        known.remove(topic);
    }

    private @Nullable Registration knownToBeUsable(String topic) {
        Registration registration = known.get(topic);
        return registration == null || registration.objection() != null ? null : registration;
    }

    private CompletableFuture<Registration> registration(String topic) {
        Registration registration = knownToBeUsable(topic);
        return registration != null
                ? CompletableFuture.completedFuture(registration)
                : readRegistration(topic, wish(topic), NONE_IS_OVER)
                        .thenApply(found -> found.orElseThrow().usable());
    }

    private CompletableFuture<Optional<Registration>> registered(String topic) {
        Registration registration = known.get(topic);
        return registration != null
                ? CompletableFuture.completedFuture(Optional.of(registration))
                : readRegistration(topic, NONE, NONE_IS_OVER);
    }

    private static boolean isNone(List<Object> reply) {
        return Replies.text(reply.get(0)).equals(Integer.toString(NONE));
    }

    /** The shard count for a topic that is not registered yet. */
    private int wish(String topic) {
        return plan.of(topic).orElseGet(() -> lastCounts.getOrDefault(topic, 1));
    }

    /** Reads the registration. Registers the topic if it is not registered and a shard count is given. */
    private CompletableFuture<Optional<Registration>> readRegistration(String topic, int wish, long over) {
        return scripts.run(register(topic, wish, over, NONE))
                .thenApply(
                        reply -> isNone(reply) ? Optional.empty() : Optional.of(remember(topic, read(topic, reply))));
    }

    private ScriptCall register(String topic, int shards, long over, int max) {
        return new ScriptCall(REGISTER, keySpace.topics())
                .add(topic)
                .add(shards)
                .add(over)
                .add(max);
    }

    private Registration read(String topic, List<Object> reply) {
        String text = Replies.text(reply.get(0)) + (reply.size() > 1 ? ":" + Replies.text(reply.get(1)) : "");
        Registration registration = Registration.read(topic, text, plan);
        if (registration == null) {
            throw new TopicConflictException("Topic " + Printable.of(topic) + " is registered as " + text
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
            log.warn("Topic " + Printable.of(topic) + " is registered with " + Registration.counted(last.count())
                    + ", which is used here, although delayqueue.topics[" + Printable.of(topic) + "].shards is "
                    + plan.of(topic).getAsInt());
        }
        return last;
    }
}
