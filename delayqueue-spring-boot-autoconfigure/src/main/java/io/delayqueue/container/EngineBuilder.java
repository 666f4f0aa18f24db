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
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Assembles an engine. Not thread-safe. */
public final class EngineBuilder {

    private String node = newNode();
    private @Nullable ScriptRunner scripts;
    private @Nullable KeySpace keySpace;
    private @Nullable MessageStore store;
    private @Nullable TopicRegistry registry;
    private @Nullable SignalSource signals;
    private SignalsControl signalsControl = SignalsControl.none();
    private @Nullable BiFunction<byte[], Type, Object> converter;
    private List<DeliveryInterceptor> interceptors = List.of();
    private EventBus events = new EventBus(List.of());
    private EngineSettings settings = EngineSettings.DEFAULTS;
    private LongSupplier nanoTime = System::nanoTime;
    private @Nullable Executor handlers;
    private @Nullable StepScheduler steps;

    EngineBuilder() {}

    /** A name for a node, unique among all nodes ever: 64 random bits in 13 letters and digits. */
    public static String newNode() {
        String random = new BigInteger(64, new SecureRandom()).toString(36);
        return "0".repeat(13 - random.length()) + random;
    }

    /** This node's name; a new one unless said otherwise. Signals must know the same. */
    public EngineBuilder node(String node) {
        this.node = node;
        return this;
    }

    /** By which scripts are run, and the names of everything. */
    public EngineBuilder redis(ScriptRunner scripts, KeySpace keySpace) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        return this;
    }

    /** The state machine, and which topics there are. */
    public EngineBuilder store(MessageStore store, TopicRegistry registry) {
        this.store = store;
        this.registry = registry;
        return this;
    }

    /** Signals, and how their subscription is begun and ended. */
    public EngineBuilder signals(SignalSource signals, SignalsControl control) {
        this.signals = signals;
        this.signalsControl = control;
        return this;
    }

    /** Turns stored bytes into what a listener takes. */
    public EngineBuilder converter(BiFunction<byte[], Type, Object> converter) {
        this.converter = converter;
        return this;
    }

    /** Around-interceptors of all listeners, the first one outermost. */
    public EngineBuilder interceptors(List<DeliveryInterceptor> interceptors) {
        this.interceptors = interceptors;
        return this;
    }

    /** To whom facts are told. */
    public EngineBuilder events(EventBus events) {
        this.events = events;
        return this;
    }

    /** How it runs; the built-in values unless said otherwise. */
    public EngineBuilder settings(EngineSettings settings) {
        this.settings = settings;
        return this;
    }

    /** The monotonic clock. */
    public EngineBuilder nanoTime(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        return this;
    }

    /** Where handlers run; cached platform threads of the engine's own unless said otherwise. */
    public EngineBuilder handlers(Executor handlers) {
        this.handlers = handlers;
        return this;
    }

    /**
     * Runs handlers on virtual threads.
     *
     * @throws UnsupportedOperationException before Java 21
     */
    public EngineBuilder virtualThreads() {
        return handlers(HandlerThreads.virtual());
    }

    /** Who calls the steps, for driving them by hand; the engine's own threads unless said otherwise. */
    public EngineBuilder steps(StepScheduler steps) {
        this.steps = steps;
        return this;
    }

    /**
     * Builds the engine; it starts nothing yet.
     *
     * @throws NullPointerException naming the part that is missing
     */
    public DelayQueueEngine build() {
        return new DelayQueueEngine(new EngineParts(
                node,
                Objects.requireNonNull(scripts, "scripts"),
                Objects.requireNonNull(keySpace, "keySpace"),
                Objects.requireNonNull(store, "store"),
                Objects.requireNonNull(registry, "registry"),
                Objects.requireNonNull(signals, "signals"),
                signalsControl,
                Objects.requireNonNull(converter, "converter"),
                interceptors,
                events,
                settings,
                nanoTime,
                handlers,
                steps));
    }
}
