package io.delayqueue.store.script;

import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TooManyTopicsException;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicRegisteredAnewException;
import io.delayqueue.store.UnusableLimitsException;
import io.delayqueue.store.script.ShardPlan.Contradiction;
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
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The registry of topics, their shard counts and their limits. Thread-safe.
 *
 * <p>A registration has an epoch: the time of the registration. If a topic is deleted, its epoch ends; if it is
 * registered again, it has a later epoch. So a call that expects an ended epoch is recognised.
 *
 * <ul>
 *   <li>Senders and listeners use {@link #shardOf}, {@link #shards} and {@link #registerWithin}. They
 *       register the topic on its first use in this process, with one command. They are rejected if the registered
 *       shard count contradicts the {@linkplain ShardPlan plan}.
 *   <li>Receivers use {@link #usableShards}. They register nothing, but the plan applies.
 *   <li>All others use {@link #registeredShards}, {@link #freshShards}, {@link #withShard} and {@link #withShards}.
 *       They register nothing, and the plan does not apply.
 * </ul>
 *
 * <p>Registrations that were read are cached. {@link #isKnown}, {@link #knownShardOf}, {@link #likelyShardOf}, {@link
 * #mayHaveKeys}, {@link #lastShardCount} and {@link #expectedShards} never call Redis.
 */
public final class TopicRegistry {

    /** No ended epoch is known. */
    static final long NO_EPOCH = 0;

    private static final Log log = LogFactory.getLog(TopicRegistry.class);
    private static final LuaScript REGISTER = LuaScript.beside(TopicRegistry.class, "register");
    private static final LuaScript UNREGISTER = LuaScript.beside(TopicRegistry.class, "unregister");
    private static final LuaScript TOPICS = LuaScript.beside(TopicRegistry.class, "topics");
    private static final LuaScript LIMIT = LuaScript.beside(TopicRegistry.class, "limit");

    /** The shape with which {@code register.lua} registers nothing. */
    private static final String REGISTER_NOTHING = "0";

    /** The reply of {@code register.lua} if the topic is not registered. */
    private static final String UNREGISTERED = "0";

    private static final int NO_LIMIT = 0;
    /** The reply of {@code register.lua} if the limit of topics is reached. */
    private static final String FULL = "full";

    /** Largest number of calls. More than two are needed only if others register the topic again repeatedly. */
    private static final int CALLS = 20;

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final ShardPlan plan;
    /** The limits that this process declares, by topic. */
    private final Map<String, TopicLimits> declared;

    private final StoredFormats formats = new StoredFormats();
    private final Map<String, Registration> known = new ConcurrentHashMap<>();
    /**
     * The last shards of each topic. They are kept when the registration is removed from the cache, so that a topic whose
     * registration is lost is registered in the same way.
     */
    private final Map<String, List<Shard>> lastShards = new ConcurrentHashMap<>();
    /** The last limits of each topic that has some, kept like {@link #lastShards}. */
    private final Map<String, RegisteredLimits> lastLimits = new ConcurrentHashMap<>();
    /** Topics, and topics with their shard counts, for which a warning was logged. */
    private final Set<String> warnedOf = ConcurrentHashMap.newKeySet();

    /** Creates the registry of one namespace without a plan. */
    public TopicRegistry(ScriptRunner scripts, KeySpace keySpace) {
        this(scripts, keySpace, ShardPlan.NONE);
    }

    /** Creates the registry of one namespace without declared limits. */
    public TopicRegistry(ScriptRunner scripts, KeySpace keySpace, ShardPlan plan) {
        this(scripts, keySpace, plan, Map.of());
    }

    /**
     * Creates the registry of one namespace.
     *
     * @param declared the limits that this process declares, by topic; it registers these topics with them
     */
    public TopicRegistry(ScriptRunner scripts, KeySpace keySpace, ShardPlan plan, Map<String, TopicLimits> declared) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.plan = plan;
        this.declared = Map.copyOf(declared);
    }

    /** The planned shard counts. */
    public ShardPlan plan() {
        return plan;
    }

    /** The limits that this process declares, by topic. */
    public Map<String, TopicLimits> declared() {
        return declared;
    }

    /** The stored formats of topics. */
    public StoredFormats formats() {
        return formats;
    }

    /** Whether a registration with this shard is in the cache, and this process may use it. Never calls Redis. */
    public boolean isKnown(Shard shard) {
        Registration registration = knownUsable(shard.topic());
        return registration != null && registration.shards().contains(shard);
    }

    /** The shard of a message, from the cache; empty if this process has not used the topic yet. Never calls Redis. */
    public Optional<Shard> knownShardOf(String topic, String id) {
        Registration registration = knownUsable(topic);
        return registration == null ? Optional.empty() : Optional.of(registration.shardOf(id));
    }

    /**
     * The shard of a message according to {@link #lastShardCount}; null if no shard count is known. Never calls Redis.
     */
    public @Nullable Shard likelyShardOf(String topic, String id) {
        Registration registration = known.get(topic);
        if (registration != null) {
            return registration.shardOf(id);
        }
        List<Shard> last = lastShards.get(topic);
        return last == null ? null : last.get(Shard.indexOf(id, last.size()));
    }

    /**
     * Whether messages of a topic may have keys, according to the last known registration; true if none is known. Never
     * calls Redis.
     */
    public boolean mayHaveKeys(String topic) {
        Shard shard = likelyShardOf(topic, "");
        return shard == null || shard.keys() != Shard.Keys.NONE;
    }

    /**
     * The last known shard count of a topic, even if the registration is being read again; empty if none is known.
     * Never calls Redis.
     */
    public Optional<Integer> lastShardCount(String topic) {
        Registration registration = known.get(topic);
        return Optional.ofNullable(registration != null ? registration.shards() : lastShards.get(topic))
                .map(List::size);
    }

    /** The shards that a topic would have if this process registered it now. Never calls Redis. */
    public List<Shard> expectedShards(String topic) {
        return shardsToRegister(topic);
    }

    /**
     * The shard of a message. Registers the topic if this process has not used it yet.
     *
     * @return the shard; fails with a {@link io.delayqueue.redis.RedisCallException} if the topic is not cached and the
     *     script has no reply, and with a {@link TopicConflictException} if the registered shard count contradicts the
     *     plan
     */
    public CompletableFuture<Shard> shardOf(String topic, String id) {
        return findOrRegister(topic).thenApply(registration -> registration.shardOf(id));
    }

    /** All shards of a topic by index. Registers and fails like {@link #shardOf}. */
    public CompletableFuture<List<Shard>> shards(String topic) {
        return findOrRegister(topic).thenApply(Registration::shards);
    }

    /**
     * Registers a topic if this process has not used it yet, unless the limit of topics is reached.
     *
     * @param max largest number of registered topics, including this one
     * @return completes when the topic is registered; fails with a {@link TooManyTopicsException} if the topic is not
     *     registered and the limit is reached, and like {@link #shardOf}
     */
    public CompletableFuture<Void> registerWithin(String topic, int max) {
        if (knownUsable(topic) != null) {
            return CompletableFuture.completedFuture(null);
        }
        return scripts.run(register(topic, shapeToRegister(topic), NO_EPOCH, max))
                .thenAccept(reply -> {
                    if (Replies.text(reply.get(0)).equals(FULL)) {
                        throw new TooManyTopicsException(topic, max);
                    }
                    remember(topic, reply).requireUsable();
                });
    }

    /**
     * Like {@link #registeredShards}, for receivers: also fails with a {@link TopicConflictException} if the
     * registered shard count contradicts the plan.
     */
    public CompletableFuture<Optional<List<Shard>>> usableShards(String topic) {
        Registration registration = knownUsable(topic);
        CompletableFuture<Optional<Registration>> found = registration != null
                ? CompletableFuture.completedFuture(Optional.of(registration))
                : readOrRegister(topic, REGISTER_NOTHING, NO_EPOCH);
        return found.thenApply(
                present -> present.map(Registration::requireUsable).map(Registration::shards));
    }

    /**
     * All shards of a registered topic by index; empty if the topic is not registered. Registers nothing. Calls Redis
     * only if the topic is not cached.
     *
     * @return the shards; fails with a {@link io.delayqueue.redis.RedisCallException} if the script has no reply, and
     *     with a {@link TopicConflictException} if this version cannot read the registration
     */
    public CompletableFuture<Optional<List<Shard>>> registeredShards(String topic) {
        return find(topic).thenApply(found -> found.map(Registration::shards));
    }

    /** Like {@link #registeredShards}, but always reads the registration from Redis. */
    public CompletableFuture<Optional<List<Shard>>> freshShards(String topic) {
        forget(topic);
        return registeredShards(topic);
    }

    /**
     * Makes a call for the shard of a message.
     *
     * @return the result of the call; empty if the topic is not registered
     */
    public <T> CompletableFuture<Optional<T>> withShard(
            String topic, String id, Function<Shard, CompletableFuture<T>> call) {
        return repeated(() -> find(topic), registration -> call.apply(registration.shardOf(id)), CALLS);
    }

    /**
     * Makes a call for all shards of a topic by index.
     *
     * @return the result of the call; empty if the topic is not registered
     */
    public <T> CompletableFuture<Optional<T>> withShards(
            String topic, Function<List<Shard>, CompletableFuture<T>> call) {
        return repeated(() -> find(topic), registration -> call.apply(registration.shards()), CALLS);
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
     * All registered topics by name, in one round trip. Topics that this version cannot read are omitted and logged.
     *
     * @return the topics; fails with a {@link io.delayqueue.redis.RedisCallException} if the script has no reply
     */
    public CompletableFuture<SortedSet<String>> topics() {
        return scripts.run(new ScriptCall(TOPICS, keySpace.topics())).thenApply(this::readTopics);
    }

    private SortedSet<String> readTopics(List<Object> reply) {
        SortedSet<String> readable = new TreeSet<>();
        Set<String> registered = new HashSet<>();
        for (int i = 0; i + 1 < reply.size(); i += 2) {
            String topic = Replies.text(reply.get(i));
            registered.add(topic);
            String text = Replies.text(reply.get(i + 1));
            Registration registration = Registration.parse(topic, text, plan);
            if (registration != null) {
                remember(topic, registration);
                readable.add(topic);
            } else if (warnedOf.add(topic)) {
                log.warn("Topic " + Printable.of(topic) + " is registered as " + text
                        + " (shards:epoch limits), which this version cannot read. The topic is not shown.");
            }
        }
        known.keySet().retainAll(readable);
        formats.retainUnreadable(registered);
        return readable;
    }

    /**
     * The limits of a topic as they were read last; {@link RegisteredLimits#NONE} if none are known. Never calls Redis.
     */
    public RegisteredLimits lastLimits(String topic) {
        return lastLimits.getOrDefault(topic, RegisteredLimits.NONE);
    }

    /**
     * Reads the limits of a topic from Redis.
     *
     * @return the limits; empty if the topic is not registered; fails like {@link #registeredShards}
     */
    CompletableFuture<Optional<RegisteredLimits>> limits(String topic) {
        return readOrRegister(topic, REGISTER_NOTHING, NO_EPOCH).thenApply(found -> found.map(Registration::limits));
    }

    /** Limits after and before a change. */
    record ChangedLimits(RegisteredLimits now, RegisteredLimits before) {}

    /**
     * Sets limits in the registration. Registers the topic if it is not registered, unless limits are removed.
     *
     * @param limits the new limits; null removes them
     * @param runtime whether these are the limits that are set at run time, rather than those that nodes declare
     * @return the limits; empty if the topic is not registered; fails with an {@link UnusableLimitsException} if the topic
     *     has several shards, or if there is a per-key limit and the topic is not fair, and like {@link
     *     #registeredShards}
     */
    CompletableFuture<Optional<ChangedLimits>> limit(String topic, @Nullable TopicLimits limits, boolean runtime) {
        List<Shard> expected = shardsToRegister(topic);
        String shape = expected.size() > 1 ? "1" : expected.get(0).shape();
        return scripts.run(new ScriptCall(LIMIT, keySpace.topics())
                        .add(topic)
                        .add(runtime ? "s" : "c")
                        .add(limits == null ? "" : limits.text())
                        .add(limitsToRegister(topic, shape))
                        .add(shape))
                .thenApply(reply -> {
                    if (Replies.text(reply.get(0)).equals(UNREGISTERED)) {
                        forget(topic);
                        lastLimits.remove(topic);
                        return Optional.empty();
                    }
                    List<Shard> shards = Shard.ofShape(topic, Replies.text(reply.get(0)));
                    if (limits != null && !shards.isEmpty() && !areUsable(limits, shards)) {
                        throw new UnusableLimitsException(topic, shards.size());
                    }
                    Registration changed = remember(topic, reply);
                    RegisteredLimits before = RegisteredLimits.parse(Replies.text(reply.get(3)));
                    return Optional.of(
                            new ChangedLimits(changed.limits(), before == null ? RegisteredLimits.NONE : before));
                });
    }

    /** Logs a warning that a topic cannot be shown, once for each topic. */
    public void warnNotShown(String topic, TopicConflictException why) {
        if (warnedOf.add(topic)) {
            log.warn("Topic " + Printable.of(topic) + " is not shown: " + why.getMessage());
        }
    }

    /** Like {@link #identity}, but null unless the registration is in the cache. Never calls Redis. */
    @Nullable
    String knownIdentity(Shard shard) {
        Registration registration = known.get(shard.topic());
        return registration == null ? null : registration.identityFor(shard);
    }

    /**
     * The identity of a shard that scripts compare: format, shape and epoch.
     *
     * @param register whether to register the topic if it is not registered
     * @param endedEpoch epoch that has ended according to the shard, or {@link #NO_EPOCH}; a registered topic then gets
     *     a later epoch
     * @return the identity; empty if the topic is not registered; fails with a {@link TopicRegisteredAnewException} if
     *     the topic has another shape than the shard
     */
    CompletableFuture<Optional<String>> identity(Shard shard, boolean register, long endedEpoch) {
        String topic = shard.topic();
        Registration registration = endedEpoch == NO_EPOCH ? known.get(topic) : null;
        CompletableFuture<Optional<Registration>> found = registration != null
                ? CompletableFuture.completedFuture(Optional.of(registration))
                : readOrRegister(
                        topic,
                        register
                                ? plan.shards(topic, Shard.all(topic, shard.count(), shard.keys()))
                                        .get(0)
                                        .shape()
                                : REGISTER_NOTHING,
                        endedEpoch);
        return found.thenApply(present -> present.map(registered -> registered.identityFor(shard)));
    }

    /** Unregisters a topic, unless it was registered again after the epoch. */
    CompletableFuture<List<Object>> unregister(String topic, String shape, long epoch) {
        forget(topic);
        lastShards.remove(topic);
        lastLimits.remove(topic);
        return scripts.run(
                new ScriptCall(UNREGISTER, keySpace.topics()).add(topic).add(shape + ":" + epoch));
    }

    /** Removes a topic from the cache. The next use reads its registration from Redis. */
    void forget(String topic) {
        known.remove(topic);
    }

    /** The registration; registers the topic if necessary. Fails if the registration contradicts the plan. */
    private CompletableFuture<Registration> findOrRegister(String topic) {
        Registration registration = knownUsable(topic);
        return registration != null
                ? CompletableFuture.completedFuture(registration)
                : readOrRegister(topic, shapeToRegister(topic), NO_EPOCH)
                        .thenApply(found -> found.orElseThrow().requireUsable());
    }

    /** The registration, whether or not it contradicts the plan; empty if the topic is not registered. */
    private CompletableFuture<Optional<Registration>> find(String topic) {
        Registration registration = known.get(topic);
        return registration != null
                ? CompletableFuture.completedFuture(Optional.of(registration))
                : readOrRegister(topic, REGISTER_NOTHING, NO_EPOCH);
    }

    /**
     * The cached registration; null if there is none, or if it contradicts the plan. In both cases the caller reads the
     * registration, because the topic may have been registered again with the planned shard count.
     */
    private @Nullable Registration knownUsable(String topic) {
        Registration registration = known.get(topic);
        return registration == null || registration.conflict() != null ? null : registration;
    }

    /** The shards with which this process registers a topic. */
    private List<Shard> shardsToRegister(String topic) {
        return plan.shards(topic, lastShards.getOrDefault(topic, Shard.all(topic, 1)));
    }

    /** The shape with which this process registers a topic. */
    private String shapeToRegister(String topic) {
        return shardsToRegister(topic).get(0).shape();
    }

    /**
     * Reads the registration from Redis. Registers the topic if it is not registered and a shape is given.
     *
     * @param shape the {@linkplain Shard#shape shape} with which the topic is registered if it is not registered, or
     *     {@link #REGISTER_NOTHING}
     * @param endedEpoch epoch that has ended, or {@link #NO_EPOCH}; a registered topic then gets a later epoch
     */
    private CompletableFuture<Optional<Registration>> readOrRegister(String topic, String shape, long endedEpoch) {
        return scripts.run(register(topic, shape, endedEpoch, NO_LIMIT))
                .thenApply(reply -> Replies.text(reply.get(0)).equals(UNREGISTERED)
                        ? Optional.empty()
                        : Optional.of(remember(topic, reply)));
    }

    private ScriptCall register(String topic, String shape, long endedEpoch, int maxTopics) {
        return new ScriptCall(REGISTER, keySpace.topics())
                .add(topic)
                .add(shape)
                .add(endedEpoch)
                .add(maxTopics)
                .add(limitsToRegister(topic, shape));
    }

    /** The limits with which this process registers a topic, as in a registration. */
    private String limitsToRegister(String topic, String shape) {
        RegisteredLimits last = lastLimits(topic);
        TopicLimits own = declared.get(topic);
        List<Shard> shards = Shard.ofShape(topic, shape);
        return new RegisteredLimits(usable(own != null ? own : last.declared(), shards), usable(last.set(), shards))
                .text();
    }

    private static @Nullable TopicLimits usable(@Nullable TopicLimits limits, List<Shard> shards) {
        return limits != null && areUsable(limits, shards) ? limits : null;
    }

    /** Limits need a single shard, and a per-key limit needs a fair topic. */
    private static boolean areUsable(TopicLimits limits, List<Shard> shards) {
        return shards.size() == 1
                && (limits.maxConcurrentPerKey() == null || shards.get(0).keys() == Shard.Keys.FAIR);
    }

    private Registration remember(String topic, List<Object> reply) {
        String text = reply.size() == 1
                ? Replies.text(reply.get(0))
                : Replies.text(reply.get(0)) + ":" + Replies.text(reply.get(1)) + Replies.text(reply.get(2));
        Registration registration = Registration.parse(topic, text, plan);
        if (registration == null) {
            throw new TopicConflictException("Topic " + Printable.of(topic) + " is registered as " + text
                    + " (shards:epoch limits), which this version cannot read. Nothing was written. Use a newer version, or"
                    + " another topic.");
        }
        return remember(topic, registration);
    }

    /** Caches a registration unless one of a later epoch is cached, and returns the cached one. */
    private Registration remember(String topic, Registration read) {
        Registration last =
                known.merge(topic, read, (cached, added) -> added.epoch() >= cached.epoch() ? added : cached);
        lastShards.put(topic, last.shards());
        if (last.limits().equals(RegisteredLimits.NONE)) {
            lastLimits.remove(topic);
        } else {
            lastLimits.put(topic, last.limits());
        }
        Contradiction contradiction = plan.contradiction(topic, last.shards());
        if (last.conflict() == null
                && contradiction != null
                && warnedOf.add(topic + ":" + last.shards().get(0).shape())) {
            log.warn("Topic " + Printable.of(topic) + " is registered with " + contradiction.property() + "="
                    + contradiction.registered() + ", which is used here, although delayqueue.topics["
                    + Printable.of(topic) + "]." + contradiction.property() + " is " + contradiction.planned());
        }
        return last;
    }

    /**
     * The registration of a topic.
     *
     * @param shards shards by index
     * @param epoch time of the registration, by Redis' clock in µs; a later registration has a later epoch
     * @param identity format, shape and epoch, as the scripts compare them
     * @param limits the limits
     * @param conflict why this process must not use the topic; null if it may
     */
    private record Registration(
            List<Shard> shards,
            long epoch,
            String identity,
            RegisteredLimits limits,
            @Nullable String conflict) {

        private static final Pattern TEXT = Pattern.compile("(\\w{1,5}):(\\d{1,18})(.*)");

        /** Parses an entry of the registry; null if this version cannot read it. */
        static @Nullable Registration parse(String topic, String text, ShardPlan plan) {
            Matcher matcher = TEXT.matcher(text);
            List<Shard> shards = matcher.matches() ? Shard.ofShape(topic, matcher.group(1)) : List.of();
            RegisteredLimits limits = matcher.matches() ? RegisteredLimits.parse(matcher.group(3)) : null;
            if (shards.isEmpty() || limits == null) {
                return null;
            }
            long epoch = Long.parseLong(matcher.group(2));
            Contradiction contradiction = plan.contradiction(topic, shards);
            return new Registration(
                    shards,
                    epoch,
                    StoredFormats.CURRENT + ":" + matcher.group(1) + ":" + epoch,
                    limits,
                    contradiction != null && plan.onConflict() == ShardPlan.OnConflict.FAIL
                            ? conflict(topic, contradiction)
                            : null);
        }

        private static String conflict(String topic, Contradiction contradiction) {
            String property = contradiction.property();
            return "Topic " + Printable.of(topic) + " is registered with " + property + "=" + contradiction.registered()
                    + ", but delayqueue.topics[" + Printable.of(topic) + "]." + property + " is "
                    + contradiction.planned() + " here. Nothing was written. Set it to " + contradiction.registered()
                    + " or leave it out; or set delayqueue.shards.on-conflict to follow; or, for " + property + "="
                    + contradiction.planned()
                    + ", delete the topic when it holds nothing (DelayQueueAdmin.deleteTopic).";
        }

        int count() {
            return shards.size();
        }

        Shard shardOf(String id) {
            return shards.get(Shard.indexOf(id, shards.size()));
        }

        Registration requireUsable() {
            if (conflict != null) {
                throw new TopicConflictException(conflict);
            }
            return this;
        }

        /** The identity for a call to a shard. Throws if the shard has another shape. */
        String identityFor(Shard shard) {
            if (shard.count() != count() || shard.keys() != shards.get(0).keys()) {
                throw new TopicRegisteredAnewException(shard, shards.get(0));
            }
            return identity;
        }
    }
}
