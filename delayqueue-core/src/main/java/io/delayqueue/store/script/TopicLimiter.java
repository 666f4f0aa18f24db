package io.delayqueue.store.script;

import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.UnusableLimitsException;
import io.delayqueue.store.script.TopicRegistry.ChangedLimits;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Changes the limits of topics. Thread-safe.
 *
 * <p>Registry and shard cannot be changed atomically, because they may be on different servers of a Cluster. The registry
 * is changed first, then the shard gets what the registry says. If the second step fails, the call fails and can be
 * repeated. Afterwards the registry is read again, so that of two concurrent changes the shard gets the one that the
 * registry has. A shard that does not exist yet gets the limits when it is opened.
 *
 * <p>Futures fail with a {@link io.delayqueue.redis.RedisCallException} if a script has no reply, and with a
 * {@link io.delayqueue.store.TopicConflictException} if this version cannot read the registration.
 */
public final class TopicLimiter {

    private static final LuaScript LIMITS = LuaScript.beside(TopicLimiter.class, "limits");

    /** Largest number of times that changed limits are applied. More than two are needed only if others change them. */
    private static final int ATTEMPTS = 20;

    private final ShardCalls calls;
    private final TopicRegistry registry;

    /** Creates the changes of one namespace. */
    public TopicLimiter(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.calls = new ShardCalls(scripts, keySpace, registry);
        this.registry = registry;
    }

    /** Reads the limits of a topic from the registry; empty if the topic is not registered. */
    public CompletableFuture<Optional<RegisteredLimits>> read(String topic) {
        return registry.limits(topic);
    }

    /**
     * Replaces the limits that nodes declare. Registers the topic if it is not registered.
     *
     * @return the limits before the change; fails with an {@link UnusableLimitsException} if the limits are rejected
     */
    public CompletableFuture<RegisteredLimits> declare(String topic, TopicLimits limits) {
        return change(topic, limits, false)
                .thenApply(changed -> changed.map(ChangedLimits::before).orElse(RegisteredLimits.NONE));
    }

    /** Removes the limits that nodes declared. */
    public CompletableFuture<Void> clearDeclared(String topic) {
        return change(topic, null, false).thenApply(changed -> null);
    }

    /**
     * Sets the limits at run time; they take precedence over declared ones. Registers the topic if it is not registered.
     *
     * @return fails with an {@link UnusableLimitsException} if the limits are rejected
     */
    public CompletableFuture<Void> set(String topic, TopicLimits limits) {
        return change(topic, limits, true).thenApply(changed -> null);
    }

    /** Removes the limits that were set at run time. Declared ones take effect again. */
    public CompletableFuture<Void> clear(String topic) {
        return change(topic, null, true).thenApply(changed -> null);
    }

    /** Applies the limits of the registry to the shard. Does nothing if the topic is not registered. */
    public CompletableFuture<Void> apply(String topic) {
        return readAndApply(topic, false).thenApply(lifted -> null);
    }

    /** Lifts the hold of a topic, and returns whether there was one. */
    public CompletableFuture<Boolean> liftHold(String topic) {
        return readAndApply(topic, true);
    }

    private CompletableFuture<Boolean> readAndApply(String topic, boolean lift) {
        return registry.limits(topic)
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(false)
                        : applyCurrent(topic, found.get().effective(), lift, ATTEMPTS));
    }

    private CompletableFuture<Optional<ChangedLimits>> change(
            String topic, @Nullable TopicLimits limits, boolean runtime) {
        return registry.limit(topic, limits, runtime)
                .thenCompose(changed -> changed.isEmpty()
                        ? CompletableFuture.completedFuture(changed)
                        : applyCurrent(topic, changed.get().now().effective(), false, ATTEMPTS)
                                .thenApply(lifted -> changed));
    }

    /** Repeats if others changed the limits since they were read. */
    private CompletableFuture<Boolean> applyCurrent(String topic, TopicLimits limits, boolean lift, int left) {
        return registry.withShards(
                        topic,
                        shards -> shards.size() > 1
                                ? CompletableFuture.completedFuture(false)
                                : applyTo(shards.get(0), limits, lift))
                .thenCompose(lifted -> registry.limits(topic).thenCompose(found -> {
                    TopicLimits now = found.map(RegisteredLimits::effective).orElse(limits);
                    return now.equals(limits) || left == 1
                            ? CompletableFuture.completedFuture(lifted.orElse(false))
                            : applyCurrent(topic, now, false, left - 1).thenApply(again -> lifted.orElse(false));
                }));
    }

    private CompletableFuture<Boolean> applyTo(Shard shard, TopicLimits limits, boolean lift) {
        return calls.runIfExists(
                        LIMITS,
                        shard,
                        ShardKeys::queue,
                        call -> call.add(limits.scriptText()).add(lift ? "1" : "0"))
                .thenApply(
                        found -> found.map(reply -> Replies.text(reply.get(1)).equals("1"))
                                .orElse(false));
    }
}
