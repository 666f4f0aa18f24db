package io.delayqueue.jdbc.outbox;

import io.delayqueue.convert.JsonPayloadConverter;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.EventBus;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.DelayQueueTemplateBuilder;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import tools.jackson.databind.json.JsonMapper;

/** A queue on a Redis behind a proxy, with a record of what it sent. */
final class ProxiedQueue implements AutoCloseable {

    private final QueueConnections connections;
    private final List<String> sent = new CopyOnWriteArrayList<>();
    final FaultProxy proxy;
    final KeySpace keySpace = new KeySpace("dq");
    final PayloadCodec codec =
            new PayloadCodec(new JsonPayloadConverter(JsonMapper.builder().build()));
    final ScriptRunner scripts;
    final TopicRegistry topics;
    final MessageStore store;
    final EventBus events = new EventBus(List.of(new DelayQueueEvents() {
        @Override
        public void sent(String topic, int count) {
            sent.add("sent " + topic + " " + count);
        }

        @Override
        public void duplicateRejected(String topic, String id) {
            sent.add("duplicate " + topic + " " + id);
        }

        @Override
        public void sendAfterCommitFailed(String topic, String id, Throwable cause) {
            sent.add("failed " + topic + " " + id + " " + cause.getClass().getSimpleName());
        }

        @Override
        public void cancelAfterCommitFailed(String topic, String id, Throwable cause) {
            sent.add(
                    "not cancelled " + topic + " " + id + " " + cause.getClass().getSimpleName());
        }
    }));

    ProxiedQueue(RedisServerProcess server, Duration commandTimeout) {
        proxy = FaultProxy.inFrontOf(server);
        connections = new QueueConnections(
                new LettuceConnectionFactory(proxy.host(), proxy.port()),
                new QueueConnections.Settings(commandTimeout, Duration.ofMillis(100)),
                System::nanoTime);
        scripts = new RedisScripts(connections, (script, failure) -> {});
        topics = new TopicRegistry(scripts, keySpace);
        store = new RedisMessageStore(scripts, keySpace, topics);
    }

    DelayQueueTemplateBuilder templateBuilder() {
        return DelayQueueTemplate.builder(store, topics, codec, InstantSource.system())
                .events(events);
    }

    DelayQueueTemplate template() {
        return templateBuilder().build();
    }

    /** Fails all further calls at once, as if the process had ended. */
    void end() {
        proxy.refuse();
        connections.close();
    }

    /** Results of sends and failures of cancels, one line each. */
    List<String> sent() {
        return sent;
    }

    @Override
    public void close() {
        connections.close();
        proxy.close();
    }
}
