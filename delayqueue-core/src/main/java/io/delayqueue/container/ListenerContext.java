package io.delayqueue.container;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.coordination.Membership;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.redis.SignalSource;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What the listeners of an engine have in common. All parts are thread-safe.
 *
 * @param store provides the messages
 * @param registry provides the shards of a topic
 * @param signals announce due messages
 * @param membership assigns shards to this node
 * @param tasks runs the pollers
 * @param handlers runs handlers and completes futures
 * @param events receives events
 * @param settings of the engine
 * @param nanoTime monotonic clock in nanoseconds
 * @param isolation the right to handle a suspect
 * @param consumerNames returns names of consumers, which are unique across nodes and restarts
 * @param runs the listeners and their runs
 * @param converter reads payloads
 * @param interceptors are called around handlers
 * @param countByHeader the header by whose value attempts are counted; empty for none
 * @param closeWait maximum wait for Redis on a stop after all deliveries are settled in Redis
 */
record ListenerContext(
        MessageStore store,
        TopicRegistry registry,
        SignalSource signals,
        Membership membership,
        PeriodicTaskScheduler tasks,
        Executor handlers,
        EventBus events,
        EngineSettings settings,
        LongSupplier nanoTime,
        IsolationSlot isolation,
        Supplier<String> consumerNames,
        ListenerRuns runs,
        PayloadCodec converter,
        List<DeliveryInterceptor> interceptors,
        String countByHeader,
        Duration closeWait) {}
