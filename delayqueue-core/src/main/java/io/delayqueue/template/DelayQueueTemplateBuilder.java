package io.delayqueue.template;

import io.delayqueue.Internal;
import io.delayqueue.convert.ListenerTypes;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadCodec.OnProblem;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.Durability;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/** Builds a {@link DelayQueueTemplate}. Not thread-safe. */
@Internal
public final class DelayQueueTemplateBuilder {

    final MessageStore store;
    final TopicRegistry topics;
    final PayloadCodec codec;
    final InstantSource clock;
    EventBus events = new EventBus(List.of());
    SendLimits limits = SendLimits.DEFAULTS;
    List<SendInterceptor> interceptors = List.of();
    Duration afterCommitTimeout = Duration.ofSeconds(10);
    Duration commandTimeout = Duration.ofSeconds(5);
    int concurrentCalls = SendBatcher.CONCURRENT_CALLS;
    Function<String, Durability> durability = topic -> Durability.NONE;
    Executor completions = Runnable::run;
    ListenerTypes listenerTypes = topic -> List.of();
    OnProblem onFailedReadBack = OnProblem.WARN;

    Supplier<@Nullable CommitOutbox> outbox = () -> null;
    BooleanSupplier nonBlockingThread = () -> false;

    LongSupplier nanoTime = System::nanoTime;
    Consumer<Duration> pause = time -> LockSupport.parkNanos(time.toNanos());

    DelayQueueTemplateBuilder(MessageStore store, TopicRegistry topics, PayloadCodec codec, InstantSource clock) {
        this.store = store;
        this.topics = topics;
        this.codec = codec;
        this.clock = clock;
    }

    /** Sets the event bus. Default: one without listeners. */
    public DelayQueueTemplateBuilder events(EventBus events) {
        Assert.notNull(events, "'events' must not be null");
        this.events = events;
        return this;
    }

    /** Sets the limits of a send. Default: {@link SendLimits#DEFAULTS}. */
    public DelayQueueTemplateBuilder limits(SendLimits limits) {
        Assert.notNull(limits, "'limits' must not be null");
        this.limits = limits;
        return this;
    }

    /** Sets the interceptors of each send, outermost first. The list is read at each send. Default: none. */
    public DelayQueueTemplateBuilder interceptors(List<SendInterceptor> interceptors) {
        Assert.notNull(interceptors, "'interceptors' must not be null");
        this.interceptors = interceptors;
        return this;
    }

    /**
     * Sets how long a send or cancel after a commit is retried. The last attempt may take a command timeout longer.
     *
     * @param timeout 0 (one attempt) to 1 h; default 10 s ({@code delayqueue.limits.after-commit-timeout})
     * @throws InvalidOptionException if the timeout is out of its range
     */
    public DelayQueueTemplateBuilder afterCommitTimeout(Duration timeout) {
        Assert.notNull(timeout, "'timeout' must not be null");
        InvalidOptionException.require(
                !timeout.isNegative() && timeout.compareTo(Duration.ofHours(1)) <= 0,
                "afterCommitTimeout",
                "must be from 0 to 1 h, but was " + DurationText.of(timeout));
        this.afterCommitTimeout = timeout;
        return this;
    }

    /**
     * Sets the durability of each topic: for sends whose message sets none, and for cancels and reschedules. Default:
     * {@link Durability#NONE}.
     */
    public DelayQueueTemplateBuilder durability(Function<String, Durability> durability) {
        Assert.notNull(durability, "'durability' must not be null");
        this.durability = durability;
        return this;
    }

    /**
     * Sets the executor that completes the futures of asynchronous sends and thus runs their dependents. Default: the
     * thread of the Redis client, which must not be blocked.
     */
    public DelayQueueTemplateBuilder completions(Executor completions) {
        Assert.notNull(completions, "'completions' must not be null");
        this.completions = completions;
        return this;
    }

    /**
     * Sets the maximum time that a send waits for earlier messages and its own reply together.
     *
     * @param timeout the command timeout of the store's connections, more than zero; default 5 s
     *     ({@code delayqueue.redis.command-timeout})
     * @throws InvalidOptionException if the timeout is not more than zero
     */
    public DelayQueueTemplateBuilder commandTimeout(Duration timeout) {
        Assert.notNull(timeout, "'timeout' must not be null");
        InvalidOptionException.require(
                !timeout.isZero() && !timeout.isNegative(),
                "commandTimeout",
                "must be more than zero, but was " + DurationText.of(timeout));
        this.commandTimeout = timeout;
        return this;
    }

    /** Sets the payload types of the listeners of this process. Default: it has no listeners. */
    public DelayQueueTemplateBuilder listenerTypes(ListenerTypes listenerTypes) {
        Assert.notNull(listenerTypes, "'listenerTypes' must not be null");
        this.listenerTypes = listenerTypes;
        return this;
    }

    /** Sets the reaction to a payload that its receiver could not read. Default: a warning. */
    public DelayQueueTemplateBuilder onFailedReadBack(OnProblem onFailedReadBack) {
        Assert.notNull(onFailedReadBack, "'onFailedReadBack' must not be null");
        this.onFailedReadBack = onFailedReadBack;
        return this;
    }

    /** Sets the outbox of sends and cancels after a commit, which is looked up at each of them. Default: none. */
    public DelayQueueTemplateBuilder outbox(Supplier<@Nullable CommitOutbox> outbox) {
        Assert.notNull(outbox, "'outbox' must not be null");
        this.outbox = outbox;
        return this;
    }

    /**
     * Sets what tells whether the current thread must not block. Without a transaction of such a thread, sends and cancels
     * after a commit are rejected, because a reactive transaction may be active there. Default: each thread may block.
     */
    public DelayQueueTemplateBuilder nonBlockingThread(BooleanSupplier nonBlockingThread) {
        Assert.notNull(nonBlockingThread, "'nonBlockingThread' must not be null");
        this.nonBlockingThread = nonBlockingThread;
        return this;
    }

    /**
     * Sets how the committing thread waits between two attempts of a send or cancel after a commit.
     *
     * @param nanoTime a monotonic clock, in nanoseconds
     * @param pause blocks for about the given time; returns early if the thread is interrupted
     */
    DelayQueueTemplateBuilder waiting(LongSupplier nanoTime, Consumer<Duration> pause) {
        Assert.notNull(nanoTime, "'nanoTime' must not be null");
        Assert.notNull(pause, "'pause' must not be null");
        this.nanoTime = nanoTime;
        this.pause = pause;
        return this;
    }

    /** Builds the template. */
    public DelayQueueTemplate build() {
        return new DelayQueueTemplate(this);
    }
}
