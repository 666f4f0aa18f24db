package io.delayqueue.container;

import io.delayqueue.convert.JsonPayloadConverter;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadConverter;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.QueueKind;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.RedisSignals;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.receive.DefaultDelayQueueReceiver;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import tools.jackson.databind.json.JsonMapper;

/** A whole node on a Redis, assembled by hand as the auto-configuration does it. */
public final class QueueNode implements AutoCloseable {

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final QueueConnections connections;
    private @Nullable ClientResources resources;
    private final @Nullable MovableTasks movableTasks;
    private final List<ListenerContainer> containers = new CopyOnWriteArrayList<>();
    public final String name = EngineBuilder.newNode();
    public final KeySpace keySpace = new KeySpace("dq");
    public final RedisSignals signals;
    public final ScriptRunner scripts;
    public final TopicRegistry registry;
    public final MessageStore store;
    public final NodeDirectory directory;
    public final DelayQueueEngine engine;
    public final DelayQueueTemplate template;
    public final DefaultDelayQueueReceiver receiver;

    public QueueNode(int port, EngineSettings settings, DelayQueueEvents... events) {
        this(on(port).settings(settings).events(events));
    }

    private QueueNode(Builder builder) {
        LettuceClientConfigurationBuilder client =
                LettuceClientConfiguration.builder().commandTimeout(builder.commandTimeout);
        if (builder.connections != null) {
            resources = ClientResources.builder()
                    .socketAddressResolver(builder.connections)
                    .build();
            client.clientResources(resources);
        }
        connections = new QueueConnections(
                builder.factory.apply(client.build()),
                QueueConnections.Settings.defaults(),
                builder.threads == null ? Thread::new : builder.threads,
                System::nanoTime);
        scripts = builder.scripts.apply(new RedisScripts(connections, (script, failure) -> {}));
        registry = new TopicRegistry(scripts, keySpace, builder.plan);
        directory = new NodeDirectory(scripts, keySpace, builder.settings.heartbeatTimeout());
        MessageStore real = new RedisMessageStore(scripts, keySpace, registry);
        store = builder.store.apply(real);
        EventBus bus = new EventBus(List.of(builder.events));
        PayloadCodec codec = new PayloadCodec(builder.converter);
        signals = new RedisSignals(
                connections,
                keySpace,
                name,
                builder.settings.heartbeat().multipliedBy(5).dividedBy(2),
                System::nanoTime);
        EngineBuilder assembling = DelayQueueEngine.builder()
                .node(name)
                .redis(scripts, keySpace)
                .store(store, registry)
                .converter(codec)
                .interceptors(builder.interceptors)
                .countByHeader(builder.countByHeader)
                .events(bus)
                .nanoTime(builder.nanoTime)
                .closeWait(builder.closeWait)
                .settings(builder.settings);
        SilentSignals silent = builder.silent;
        assembling.signals(silent == null ? signals : silent);
        if (builder.tasks != null) {
            assembling.tasks(builder.tasks);
        }
        MovableTime time = builder.time;
        movableTasks = time == null ? null : new MovableTasks(time, new OutageLog(bus, time));
        if (movableTasks != null) {
            assembling.tasks(movableTasks);
        }
        if (builder.threads != null) {
            assembling.threads(builder.threads);
        }
        if (builder.handlers != null) {
            assembling.handlers(builder.handlers);
        }
        engine = assembling.build();
        template = DelayQueueTemplate.builder(real, registry, codec, InstantSource.system())
                .events(bus)
                .completions(builder.threads == null ? Runnable::run : engine::execute)
                .build();
        receiver = DefaultDelayQueueReceiver.builder(real, registry, codec, engine.signals(), engine.tasks())
                .events(bus)
                .completions(builder.threads == null ? executor : engine::execute)
                .build();
    }

    /** Gives up the connection to Redis for a new one. */
    public void dialAnew() {
        connections.reset();
    }

    /** Begins to assemble a node. */
    public static Builder on(int port) {
        RedisConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", port);
        return new Builder(client -> new LettuceConnectionFactory(server, client));
    }

    /** The same on a Cluster. */
    public static Builder on(List<String> addresses) {
        RedisConfiguration cluster = new RedisClusterConfiguration(addresses);
        return new Builder(client -> new LettuceConnectionFactory(cluster, client));
    }

    /** The same on the master that Sentinels know by a name. */
    public static Builder on(String master, List<String> sentinels) {
        RedisConfiguration servers = new RedisSentinelConfiguration(master, Set.copyOf(sentinels));
        return new Builder(client -> new LettuceConnectionFactory(servers, client));
    }

    /** Not started. */
    public ListenerContainer container(String topic, QueueKind kind, ListenerOptions options, DeliveryHandler handler) {
        String id = topic + "-" + containers.size();
        ListenerContainer container =
                engine.newContainer(new ListenerSpec(id, topic, kind, options, String.class, handler));
        containers.add(container);
        return container;
    }

    public ListenerContainer listen(String topic, ListenerOptions options, DeliveryHandler handler) {
        ListenerContainer container = container(topic, QueueKind.MESSAGES, options, handler);
        container.start();
        return container;
    }

    /** Closes its connections without a word to anybody, as the end of a process would. */
    public void abandon() {
        signals.stop(); // first: what is closed on event loops that have ended is waited for, for ever
        connections.close();
    }

    @Override
    public void close() {
        receiver.close();
        CompletableFuture.allOf(containers.stream().map(ListenerContainer::stop).toArray(CompletableFuture[]::new))
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
        engine.close();
        if (movableTasks != null) {
            movableTasks.close();
        }
        connections.close();
        if (resources != null) {
            resources.shutdown(0, 0, TimeUnit.SECONDS);
        }
        executor.shutdownNow();
    }

    /** Collects what a node is made of. */
    public static final class Builder {

        private final Function<LettuceClientConfiguration, LettuceConnectionFactory> factory;
        private ShardPlan plan = ShardPlan.NONE;
        private EngineSettings settings = EngineSettings.DEFAULTS;
        private DelayQueueEvents[] events = {};
        private List<DeliveryInterceptor> interceptors = List.of();
        private String countByHeader = "";
        private PayloadConverter converter =
                new JsonPayloadConverter(JsonMapper.builder().build());
        private LongSupplier nanoTime = System::nanoTime;
        private @Nullable MovableTime time;
        private UnaryOperator<MessageStore> store = UnaryOperator.identity();
        private UnaryOperator<ScriptRunner> scripts = UnaryOperator.identity();
        private @Nullable PeriodicTaskScheduler tasks;
        private @Nullable SilentSignals silent;
        private @Nullable SocketAddressResolver connections;
        private @Nullable ThreadFactory threads;
        private @Nullable Executor handlers;
        private Duration commandTimeout = Duration.ofSeconds(60);
        private Duration closeWait = DelayQueueEngine.CLOSE_WAIT;

        private Builder(Function<LettuceClientConfiguration, LettuceConnectionFactory> factory) {
            this.factory = factory;
        }

        public Builder shards(String topic, int count) {
            return plan(new ShardPlan(Map.of(topic, count), ShardPlan.OnConflict.FAIL));
        }

        public Builder plan(ShardPlan shardPlan) {
            this.plan = shardPlan;
            return this;
        }

        public Builder settings(EngineSettings settings) {
            this.settings = settings;
            return this;
        }

        public Builder events(DelayQueueEvents... events) {
            this.events = events;
            return this;
        }

        public Builder countByHeader(String header) {
            this.countByHeader = header;
            return this;
        }

        public Builder interceptors(DeliveryInterceptor... interceptors) {
            this.interceptors = List.of(interceptors);
            return this;
        }

        public Builder converter(PayloadConverter converter) {
            this.converter = converter;
            return this;
        }

        public Builder nanoTime(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
            return this;
        }

        /** The engine's clock, by which its tasks run. */
        public Builder time(MovableTime time) {
            this.time = time;
            return nanoTime(time);
        }

        /** What the engine, but not the template, sees instead of the store. */
        public Builder store(UnaryOperator<MessageStore> around) {
            this.store = around;
            return this;
        }

        /** What runs the scripts of the whole node. */
        public Builder scripts(UnaryOperator<ScriptRunner> around) {
            this.scripts = around;
            return this;
        }

        public Builder tasks(PeriodicTaskScheduler tasks) {
            this.tasks = tasks;
            return this;
        }

        /** Resolves the address of each connection before it is made. */
        public Builder connections(SocketAddressResolver resolver) {
            this.connections = resolver;
            return this;
        }

        /** Makes all threads of the engine and of the connections. The engine then completes futures, too, as in an application. */
        public Builder threads(ThreadFactory threads) {
            this.threads = threads;
            return this;
        }

        /** Where handlers run. */
        public Builder handlers(Executor handlers) {
            this.handlers = handlers;
            return this;
        }

        /** The application's, which counts where it is shorter than the queue's. */
        public Builder commandTimeout(Duration timeout) {
            this.commandTimeout = timeout;
            return this;
        }

        /** Maximum time that the engine waits for Redis when it stops or closes. */
        public Builder closeWait(Duration wait) {
            this.closeWait = wait;
            return this;
        }

        /** Without any signal. */
        public Builder silent() {
            this.silent = new SilentSignals(false);
            return this;
        }

        /** Without any signal, but believing that it would hear them. */
        public Builder trusting() {
            this.silent = new SilentSignals(true);
            return this;
        }

        public QueueNode start() {
            return new QueueNode(this);
        }
    }
}
