package io.delayqueue.container;

import io.delayqueue.convert.JsonPayloadConverter;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.RedisSignals;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import tools.jackson.databind.json.JsonMapper;

/** A whole node on a Redis, assembled by hand as the auto-configuration does it. */
public final class QueueNode implements AutoCloseable {

    private final LettuceConnectionFactory application;
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final QueueConnections connections;
    private final List<ListenerContainer> containers = new ArrayList<>();
    public final KeySpace keySpace = new KeySpace("dq");
    public final MessageStore store;
    public final DelayQueueEngine engine;
    public final DelayQueueTemplate template;

    public QueueNode(int port, EngineSettings settings, DelayQueueEvents... events) {
        application = new LettuceConnectionFactory("127.0.0.1", port);
        application.afterPropertiesSet();
        application.start();
        connections =
                new QueueConnections(application, QueueConnections.Settings.defaults(), executor, System::nanoTime);
        RedisScripts scripts = new RedisScripts(connections);
        TopicRegistry registry = new TopicRegistry(scripts, keySpace);
        store = new RedisMessageStore(scripts, keySpace, registry);
        EventBus bus = new EventBus(List.of(events));
        PayloadCodec codec =
                new PayloadCodec(new JsonPayloadConverter(JsonMapper.builder().build()));
        String node = EngineBuilder.newNode();
        RedisSignals signals = new RedisSignals(
                connections,
                keySpace,
                executor,
                node,
                settings.heartbeat().multipliedBy(5).dividedBy(2),
                System::nanoTime);
        engine = DelayQueueEngine.builder()
                .node(node)
                .redis(scripts, keySpace)
                .store(store, registry)
                .signals(signals, new SignalsControl() {
                    @Override
                    public void start() {
                        signals.start();
                    }

                    @Override
                    public void afterHeartbeat() {
                        signals.renewIfUnconfirmed();
                    }

                    @Override
                    public void stop() {
                        signals.stop();
                    }
                })
                .converter(codec::read)
                .events(bus)
                .settings(settings)
                .build();
        template = DelayQueueTemplate.builder(store, registry, codec, InstantSource.system())
                .events(bus)
                .build();
    }

    public ListenerContainer listen(String topic, ListenerOptions options, DeliveryHandler handler) {
        ListenerContainer container = engine.newContainer(new ListenerSpec(
                topic + "-" + containers.size(), topic, Lane.MESSAGES, options, String.class, handler));
        containers.add(container);
        container.start();
        return container;
    }

    @Override
    public void close() {
        CompletableFuture.allOf(containers.stream().map(ListenerContainer::stop).toArray(CompletableFuture[]::new))
                .orTimeout(60, java.util.concurrent.TimeUnit.SECONDS)
                .join();
        engine.close();
        connections.close();
        application.destroy();
        executor.shutdownNow();
    }
}
