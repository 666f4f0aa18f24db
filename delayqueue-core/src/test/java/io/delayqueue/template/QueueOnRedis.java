package io.delayqueue.template;

import io.delayqueue.convert.JsonPayloadConverter;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.FirstConnection;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.BlockingStore;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import tools.jackson.databind.json.JsonMapper;

/** A queue with a proxy in front of a real Redis. */
public final class QueueOnRedis implements AutoCloseable {

    public static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    /** The command timeout of outage tests, which wait for it. */
    public static final Duration SHORT_COMMAND_TIMEOUT = Duration.ofMillis(500);

    private final RedisServerProcess server;
    private final FaultProxy proxy;
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final LettuceConnectionFactory application;
    private final QueueConnections connections;
    private final KeySpace keySpace = new KeySpace("dq");
    private final TopicRegistry topics;
    private final BlockingStore store;
    private final ScriptRunner scripts;
    private final RecordedEvents recorded = new RecordedEvents();
    private final EventBus events = new EventBus(List.of(recorded));

    public QueueOnRedis(RedisServerProcess server) {
        this(server, ShardPlan.NONE);
    }

    public QueueOnRedis(RedisServerProcess server, ShardPlan plan) {
        this(server, plan, COMMAND_TIMEOUT);
    }

    public QueueOnRedis(RedisServerProcess server, ShardPlan plan, Duration commandTimeout) {
        this.server = server;
        FirstConnection.make(server.port());
        this.proxy = FaultProxy.inFrontOf(server);
        this.application = new LettuceConnectionFactory(proxy.host(), proxy.port());
        application.afterPropertiesSet();
        application.start();
        this.connections = new QueueConnections(
                application,
                new QueueConnections.Settings(commandTimeout, Duration.ofMillis(100)),
                executor,
                System::nanoTime);
        this.scripts = new RedisScripts(connections);
        this.topics = new TopicRegistry(scripts, keySpace, plan);
        this.store = new BlockingStore(new RedisMessageStore(scripts, keySpace, topics));
    }

    public DelayQueueTemplateBuilder templateBuilder() {
        return DelayQueueTemplate.builder(store, topics, codec(), InstantSource.system())
                .events(events);
    }

    public DelayQueueTemplate template() {
        return templateBuilder().build();
    }

    /** Connects and registers a topic, then resets the counters of the proxy. */
    public void open(String topic) {
        store.enableNotifications(Shard.single(topic)).join();
        proxy.traffic().reset();
    }

    public static PayloadCodec codec() {
        return new PayloadCodec(new JsonPayloadConverter(JsonMapper.builder().build()));
    }

    public RedisServerProcess server() {
        return server;
    }

    public FaultProxy proxy() {
        return proxy;
    }

    public LettuceConnectionFactory application() {
        return application;
    }

    public QueueConnections connections() {
        return connections;
    }

    public KeySpace keySpace() {
        return keySpace;
    }

    public TopicRegistry topics() {
        return topics;
    }

    public ScriptRunner scripts() {
        return scripts;
    }

    public BlockingStore store() {
        return store;
    }

    public EventBus events() {
        return events;
    }

    public RecordedEvents recorded() {
        return recorded;
    }

    @Override
    public void close() {
        connections.close();
        application.destroy();
        proxy.close();
        executor.shutdownNow();
    }
}
