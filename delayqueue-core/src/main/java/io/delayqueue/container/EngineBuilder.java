package io.delayqueue.container;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.SignalSource;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Builds a {@link DelayQueueEngine}. Not thread-safe. */
public final class EngineBuilder {

    String node = newNode();

    @Nullable
    ScriptRunner scripts;

    @Nullable
    KeySpace keySpace;

    @Nullable
    MessageStore store;

    @Nullable
    TopicRegistry registry;

    @Nullable
    SignalSource signals;

    @Nullable
    PayloadCodec converter;

    List<DeliveryInterceptor> interceptors = List.of();
    EventBus events = new EventBus(List.of());
    EngineSettings settings = EngineSettings.DEFAULTS;
    String countByHeader = "";
    LongSupplier nanoTime = System::nanoTime;
    ThreadFactory threads = Thread::new;
    Duration closeWait = DelayQueueEngine.CLOSE_WAIT;

    @Nullable
    Executor handlers;

    @Nullable
    PeriodicTaskScheduler tasks;

    EngineBuilder() {}

    /** Returns a unique node name: 64 random bits as 13 lower-case letters and digits. */
    public static String newNode() {
        String random = new BigInteger(64, new SecureRandom()).toString(36);
        return "0".repeat(13 - random.length()) + random;
    }

    /** Sets the node's name, which must equal that of the signals. Default: {@link #newNode()}. */
    public EngineBuilder node(String node) {
        this.node = node;
        return this;
    }

    /** Sets the script runner and the key space. Required. */
    public EngineBuilder redis(ScriptRunner scripts, KeySpace keySpace) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        return this;
    }

    /** Sets the message store and the topic registry. Required. */
    public EngineBuilder store(MessageStore store, TopicRegistry registry) {
        this.store = store;
        this.registry = registry;
        return this;
    }

    /** Sets the source of signals, which the engine starts and stops. Required. */
    public EngineBuilder signals(SignalSource signals) {
        this.signals = signals;
        return this;
    }

    /** Sets the conversion of a stored payload to the listener's payload type. Required. */
    public EngineBuilder converter(PayloadCodec converter) {
        this.converter = converter;
        return this;
    }

    /** Sets the interceptors of all listeners, outermost first. Default: none. */
    public EngineBuilder interceptors(List<DeliveryInterceptor> interceptors) {
        this.interceptors = interceptors;
        return this;
    }

    /** Sets the event bus. Default: one without listeners. */
    public EngineBuilder events(EventBus events) {
        this.events = events;
        return this;
    }

    /** Sets the settings. Default: {@link EngineSettings#DEFAULTS}. */
    public EngineBuilder settings(EngineSettings settings) {
        this.settings = settings;
        return this;
    }

    /** Sets the header by whose value attempts are counted. Default: empty, none. */
    public EngineBuilder countByHeader(String header) {
        this.countByHeader = header;
        return this;
    }

    /** Sets the monotonic clock, in nanoseconds. Default: {@link System#nanoTime()}. */
    public EngineBuilder nanoTime(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        return this;
    }

    /** Sets the factory of the engine's threads; the engine names them. Default: {@code Thread::new}. */
    EngineBuilder threads(ThreadFactory threads) {
        this.threads = threads;
        return this;
    }

    /** Sets the executor of handlers. Default: cached platform threads, which the engine shuts down. */
    public EngineBuilder handlers(Executor handlers) {
        this.handlers = handlers;
        return this;
    }

    /**
     * Runs handlers on virtual threads.
     *
     * @throws UnsupportedOperationException on a JVM older than Java 21
     */
    public EngineBuilder virtualThreads() {
        return handlers(new VirtualThreadTaskExecutor(DelayQueueEngine.THREAD_NAME + "-handler-"));
    }

    /** Sets the task scheduler; tests use it to run tasks by hand. Default: the engine's own threads. */
    public EngineBuilder tasks(PeriodicTaskScheduler tasks) {
        this.tasks = tasks;
        return this;
    }

    /** Sets the maximum wait for Redis on close, and on a stop after all deliveries are settled; for tests. */
    EngineBuilder closeWait(Duration closeWait) {
        this.closeWait = closeWait;
        return this;
    }

    /**
     * Builds the engine; it starts nothing yet.
     *
     * @throws NullPointerException if a required part is missing; the message names the part
     */
    public DelayQueueEngine build() {
        return new DelayQueueEngine(this);
    }
}
