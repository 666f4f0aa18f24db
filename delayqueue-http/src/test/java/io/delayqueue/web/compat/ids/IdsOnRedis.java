package io.delayqueue.web.compat.ids;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.convert.JsonPayloadConverter;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import tools.jackson.databind.json.JsonMapper;

/** Processes that push. They share only their connections. */
final class IdsOnRedis implements AutoCloseable {

    private final QueueConnections connections;
    private final EventBus events = new EventBus(List.of());
    final KeySpace keySpace = new KeySpace("dq");
    final ScriptRunner scripts;

    IdsOnRedis(LettuceConnectionFactory application) {
        connections = new QueueConnections(application, QueueConnections.Settings.defaults(), System::nanoTime);
        scripts = new RedisScripts(connections, (script, failure) -> {});
    }

    Pusher process() {
        return process(scripts, IdIndex.GRACE);
    }

    Pusher process(ScriptRunner runner, Duration grace) {
        TopicRegistry registry = new TopicRegistry(runner, keySpace);
        DelayQueueTemplate template = DelayQueueTemplate.builder(
                        new RedisMessageStore(runner, keySpace, registry),
                        registry,
                        new PayloadCodec(
                                new JsonPayloadConverter(JsonMapper.builder().build())),
                        InstantSource.system())
                .build();
        IdIndex index = new IdIndex(runner, keySpace, grace);
        TopicCopies copies = new TopicCopies(new RedisMessageStore(runner, keySpace, registry), registry, events);
        return new Pusher(template, index, copies, new UniqueIds(index, copies));
    }

    /** The objects of one process. */
    record Pusher(DelayQueueTemplate template, IdIndex index, TopicCopies copies, UniqueIds ids) {

        void push(String topic, String id, String body) {
            join(pushAsync(topic, id, body));
        }

        CompletableFuture<Void> pushAsync(String topic, String id, String body) {
            return pushWithin(ids, topic, id, body)
                    .thenAccept(elsewhere -> assertThat(elsewhere).isEmpty());
        }

        /** Pushes as a client that may change the topics of these ids. The result is the topic that prevents it. */
        CompletableFuture<Optional<String>> pushWithin(UniqueIds permitted, String topic, String id, String body) {
            return permitted.push(
                    topic,
                    id,
                    () -> CompletableFuture.completedFuture(null),
                    version -> template.sendAsync(message(topic, id, body, version)));
        }

        Optional<String> found(String id) {
            return join(ids.find(id)).map(Pusher::described);
        }

        boolean end(String id) {
            return join(ids.cancel(id));
        }

        /** The topics in which an id is live, as {@code topic=body}. */
        List<String> live(String id, List<String> topics) {
            List<String> live = new ArrayList<>();
            topics.forEach(
                    topic -> template.find(topic, id).map(Pusher::described).ifPresent(live::add));
            return live;
        }

        private static String described(MessageSnapshot message) {
            return message.topic() + "=" + new String(message.envelope().payload(), UTF_8);
        }
    }

    static DelayMessage message(String topic, String id, String body, long version) {
        return DelayMessage.to(topic)
                .id(id)
                .payload(body)
                .delay(Duration.ofHours(1))
                .lease(Duration.ofSeconds(30))
                .onDuplicate(OnDuplicate.REPLACE)
                .version(version)
                .build();
    }

    /** Sweeps all buckets. */
    void sweep(Duration grace) {
        IdSweep sweep = sweep(grace, Duration.ofNanos(1), 0);
        for (int i = 0; i < IdIndex.BUCKETS; i++) {
            sweep.run();
        }
    }

    /** Sweeps the bucket of an id. */
    void sweep(Duration grace, String id) {
        sweep(grace, Duration.ofNanos(1), IdIndex.bucketOf(id)).run();
    }

    IdSweep sweep(Duration grace, Duration interval, int first) {
        Pusher pusher = process(scripts, grace);
        return new IdSweep(pusher.index, pusher.copies, first, interval, (name, task) -> {
            throw new IllegalStateException("The test runs the sweep");
        });
    }

    /** The entry of an id in the index. */
    Optional<String> entry(String id) {
        List<Object> reply = bucket("return redis.call('HMGET', KEYS[1], ARGV[1])", id, "");
        return Optional.ofNullable(reply.get(0)).map(text -> new String((byte[]) text, UTF_8));
    }

    void writeEntry(String id, String text) {
        bucket("return {redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])}", id, text);
    }

    void loseEntry(String id) {
        bucket("return {redis.call('HDEL', KEYS[1], ARGV[1])}", id, "");
    }

    private List<Object> bucket(String text, String id, String argument) {
        return Await.call(() -> scripts.run(
                new ScriptCall(LuaScript.of("test", text), process().index().key(IdIndex.bucketOf(id)))
                        .add(id)
                        .add(argument)));
    }

    static <T> T join(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        connections.close();
    }
}
