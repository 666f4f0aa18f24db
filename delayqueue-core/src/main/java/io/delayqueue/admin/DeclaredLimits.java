package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.coordination.RedisTask;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.store.UnusableLimitsException;
import io.delayqueue.store.script.RegisteredLimits;
import io.delayqueue.store.script.TopicLimiter;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Declares the limits in the properties of this node. Each node declares its limits once, when it starts, so that those of
 * the node that started last take effect. Later, this task only compares: if another node declared other limits, it logs a
 * warning. If a topic has lost its declared limits, it declares them again. Thread-safe.
 */
@Internal
public final class DeclaredLimits extends RedisTask {

    static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final Log log = LogFactory.getLog(DeclaredLimits.class);

    private final TopicLimiter limiter;
    private final Map<String, TopicLimits> own;
    /** The topics whose limits this node has declared since it started. */
    private final Set<String> declared = ConcurrentHashMap.newKeySet();
    /** Sentences that were logged. */
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    /** Whether the next run is the first one after a declaration; only runs and {@link #declareAll} use it. */
    private volatile boolean fresh;

    /**
     * Creates a task that declares only when it is run.
     *
     * @param own the limits in the properties of this node, by topic
     * @param nanoTime the monotonic clock
     */
    public DeclaredLimits(TopicLimiter limiter, Map<String, TopicLimits> own, LongSupplier nanoTime) {
        super(nanoTime);
        this.limiter = limiter;
        this.own = Map.copyOf(own);
    }

    /**
     * Declares all limits.
     *
     * @return fails with an {@link UnusableLimitsException} if the limits of a topic are rejected, with a {@link
     *     io.delayqueue.store.TopicConflictException} if this version cannot read the registration of a topic, and with a
     *     {@link io.delayqueue.redis.RedisCallException} if Redis does not reply; the task then repeats it
     */
    public CompletableFuture<Void> declareAll() {
        declared.clear();
        fresh = true;
        return Completions.all(own.keySet().stream().sorted().map(this::declare).toList())
                .thenApply(all -> null);
    }

    private CompletableFuture<Boolean> declare(String topic) {
        TopicLimits limits = limits(topic);
        return limiter.declare(topic, limits).thenApply(before -> {
            declared.add(topic);
            TopicLimits replaced = before.declared();
            if (replaced != null && !replaced.equals(limits)) {
                log.info("The declared limits of topic " + Printable.of(topic) + " are now: " + limits + "; before: "
                        + replaced);
            }
            return true;
        });
    }

    private TopicLimits limits(String topic) {
        return own.getOrDefault(topic, TopicLimits.NONE);
    }

    @Override
    protected Duration roundTrip() {
        if (fresh) {
            fresh = false;
            if (declared.containsAll(own.keySet())) {
                return INTERVAL;
            }
        }
        return reply(this::checkAll) == null ? UNTIL_WOKEN : INTERVAL;
    }

    private CompletableFuture<Boolean> checkAll() {
        return Completions.all(own.keySet().stream().sorted().map(this::check).toList())
                .thenApply(all -> true);
    }

    private CompletableFuture<Boolean> check(String topic) {
        return (declared.contains(topic) ? compare(topic) : declare(topic)).exceptionally(failure -> {
            if (Completions.cause(failure) instanceof UnusableLimitsException unusable) {
                if (logged.add(topic)) {
                    log.error("The limits in the properties of this node have no effect. " + unusable.getMessage());
                }
                return false;
            }
            throw Completions.unchecked(failure);
        });
    }

    /** A topic that is not registered gets its limits from the process that registers it. */
    private CompletableFuture<Boolean> compare(String topic) {
        return limiter.read(topic).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(true);
            }
            RegisteredLimits registered = found.get();
            TopicLimits others = registered.declared();
            if (others == null) {
                return declare(topic);
            }
            if (!others.equals(limits(topic))) {
                warn(topic, others);
            }
            return limiter.apply(topic).thenApply(applied -> true);
        });
    }

    private void warn(String topic, TopicLimits others) {
        String sentence = "Another node declares other limits of topic " + Printable.of(topic) + ": " + others
                + "; the properties of this node: " + limits(topic)
                + ". The node that started last wins. Give all nodes the same properties.";
        if (logged.add(sentence)) {
            log.warn(sentence);
        }
    }
}
