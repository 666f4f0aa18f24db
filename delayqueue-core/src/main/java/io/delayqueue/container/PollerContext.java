package io.delayqueue.container;

import io.delayqueue.coordination.Membership;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.event.EventBus;
import io.delayqueue.redis.SignalSource;
import io.delayqueue.store.MessageStore;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What the pollers of an engine have in common. All parts are thread-safe.
 *
 * @param store provides the messages
 * @param signals announce due messages
 * @param membership assigns shards to this node
 * @param tasks runs the pollers
 * @param handlers runs handlers and completes futures
 * @param events receives events
 * @param settings of the engine
 * @param nanoTime monotonic clock in nanoseconds
 * @param isolation the right to handle a suspect
 * @param consumers returns consumer names, which are unique across nodes and restarts
 * @param hasDeadLetterListener whether a dead-letter listener of a topic was started in this process
 */
record PollerContext(
        MessageStore store,
        SignalSource signals,
        Membership membership,
        PeriodicTaskScheduler tasks,
        Executor handlers,
        EventBus events,
        EngineSettings settings,
        LongSupplier nanoTime,
        IsolationSlot isolation,
        Supplier<String> consumers,
        Predicate<String> hasDeadLetterListener) {}
