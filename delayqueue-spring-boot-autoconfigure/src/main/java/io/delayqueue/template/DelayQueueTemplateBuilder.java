package io.delayqueue.template;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.event.EventBus;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Collects what a {@link DelayQueueTemplate} is made of. Not thread-safe. */
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
    int flightsOfALane = SendLane.FLIGHTS;
    RandomGenerator random = new SecureRandom();
    Executor completions = Runnable::run;
    LongSupplier nanoTime = System::nanoTime;
    Consumer<Duration> pause = time -> LockSupport.parkNanos(time.toNanos());

    DelayQueueTemplateBuilder(MessageStore store, TopicRegistry topics, PayloadCodec codec, InstantSource clock) {
        this.store = store;
        this.topics = topics;
        this.codec = codec;
        this.clock = clock;
    }

    /** Told what happens. */
    public DelayQueueTemplateBuilder events(EventBus events) {
        this.events = events;
        return this;
    }

    /** What a send takes at most; {@link SendLimits#DEFAULTS} unless said. */
    public DelayQueueTemplateBuilder limits(SendLimits limits) {
        this.limits = limits;
        return this;
    }

    /** Around each send, the first one outermost. */
    public DelayQueueTemplateBuilder interceptors(List<SendInterceptor> interceptors) {
        this.interceptors = List.copyOf(interceptors);
        return this;
    }

    /**
     * For how long a send after commit is repeated; an attempt that has begun may take a command time-out longer.
     *
     * @param timeout 0 (one attempt) to 1 h, 10 s unless said ({@code delayqueue.limits.after-commit-timeout})
     */
    public DelayQueueTemplateBuilder afterCommitTimeout(Duration timeout) {
        if (timeout.isNegative() || timeout.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException(
                    "delayqueue.limits.after-commit-timeout is between 0 and 1 h, but is " + timeout);
        }
        this.afterCommitTimeout = timeout;
        return this;
    }

    /**
     * Where the futures of asynchronous sends end, and with them what the application has hung on to them. Unless said,
     * they end on a thread of the Redis client, which must not be blocked.
     */
    public DelayQueueTemplateBuilder completions(Executor completions) {
        this.completions = completions;
        return this;
    }

    /**
     * How long a send waits at most for those before it and for its own answer together.
     *
     * @param timeout what the store's connections give a command, more than zero, 5 s unless said
     *     ({@code delayqueue.redis.command-timeout})
     */
    public DelayQueueTemplateBuilder commandTimeout(Duration timeout) {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("delayqueue.redis.command-timeout is more than zero, but is " + timeout);
        }
        this.commandTimeout = timeout;
        return this;
    }

    /** Where generated ids and nonces come from. */
    public DelayQueueTemplateBuilder random(RandomGenerator random) {
        this.random = random;
        return this;
    }

    /**
     * How the committing thread passes the time between two attempts of a send after commit.
     *
     * @param nanoTime a monotonic clock
     * @param pause blocks for about so long, and ends early when the thread is interrupted
     */
    public DelayQueueTemplateBuilder waiting(LongSupplier nanoTime, Consumer<Duration> pause) {
        this.nanoTime = nanoTime;
        this.pause = pause;
        return this;
    }

    /** Makes the template. */
    public DelayQueueTemplate build() {
        return new DelayQueueTemplate(this);
    }
}
