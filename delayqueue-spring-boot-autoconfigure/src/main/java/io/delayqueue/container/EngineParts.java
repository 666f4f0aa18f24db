package io.delayqueue.container;

import io.delayqueue.coordination.StepScheduler;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.SignalSource;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import java.lang.reflect.Type;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What an engine is assembled from; see {@link EngineBuilder}. */
record EngineParts(
        String node,
        ScriptRunner scripts,
        KeySpace keySpace,
        MessageStore store,
        TopicRegistry registry,
        SignalSource signals,
        SignalsControl signalsControl,
        BiFunction<byte[], Type, Object> converter,
        List<DeliveryInterceptor> interceptors,
        EventBus events,
        EngineSettings settings,
        LongSupplier nanoTime,
        @Nullable Executor handlers,
        @Nullable StepScheduler steps) {}
