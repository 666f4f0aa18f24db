package io.delayqueue.sharding;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.Claim;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.bench.ClientScripts;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardPlan.OnConflict;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicLimiter;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.QueueOnRedis;
import io.delayqueue.template.SendLimits;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Nodes that share their connections but no other state. */
final class ShardedQueue implements AutoCloseable {

    static final String TOPIC = "orders";

    private final AtomicLong sequence = new AtomicLong();
    final KeySpace keySpace = new KeySpace("dq");
    final ClientScripts scripts;

    ShardedQueue(LettuceConnectionFactory application) {
        scripts = new ClientScripts(application);
    }

    /** The components of a node, which share one topic registry. */
    record Node(
            TopicRegistry registry,
            MessageStore store,
            DelayQueueTemplate template,
            DelayQueueAdmin admin,
            DelayQueueInspector inspector) {

        void send(String id, Duration delay) {
            template.send(ShardedQueue.message(id).delay(delay).build());
        }

        boolean has(String id) {
            return template.find(TOPIC, id).isPresent();
        }
    }

    static DelayMessage.Builder message(String id) {
        return DelayMessage.to(TOPIC).id(id).payload("p" + id);
    }

    /** Creates a node without a configured shard count. */
    Node node() {
        return node(ShardPlan.NONE, scripts);
    }

    /** Creates a node with a configured shard count. */
    Node node(int shards) {
        return node(new ShardPlan(Map.of(TOPIC, shards), OnConflict.FAIL), scripts);
    }

    Node node(ShardPlan plan, ScriptRunner runner) {
        TopicRegistry registry = new TopicRegistry(runner, keySpace, plan);
        MessageStore store = new RedisMessageStore(runner, keySpace, registry);
        EventBus events = new EventBus(List.of());
        NodeDirectory nodes = new NodeDirectory(runner, keySpace, Duration.ofSeconds(15));
        return new Node(
                registry,
                store,
                DelayQueueTemplate.builder(store, registry, QueueOnRedis.codec(), InstantSource.system())
                        .build(),
                new DelayQueueAdmin(
                        store,
                        registry,
                        events,
                        SendLimits.DEFAULTS,
                        InstantSource.system(),
                        new TopicDeletion(runner, keySpace, registry),
                        nodes,
                        new TopicLimiter(runner, keySpace, registry)),
                new DelayQueueInspector(store, new ShardReader(runner, keySpace, registry), registry, nodes));
    }

    PollReply poll(Node node, Shard shard, int claim, List<Settlement> settlements) {
        return Polls.poll(
                node.store(),
                shard,
                new PollRequest(
                        "hand",
                        sequence.incrementAndGet(),
                        "hand-" + sequence.get(),
                        new Claiming(claim, PollRequest.MAX_BYTES, Duration.ofMinutes(10), false, false, claim),
                        new Reclaiming(0, 10, CrashLimits.DEFAULTS, Duration.ofMinutes(1), Duration.ZERO),
                        false,
                        settlements,
                        List.of()));
    }

    /** Claims all due messages of all shards. */
    List<Claim> claim(Node node) {
        List<Claim> claims = new ArrayList<>();
        node.registry()
                .shards(TOPIC)
                .join()
                .forEach(
                        shard -> claims.addAll(poll(node, shard, 500, List.of()).claims()));
        return claims;
    }

    /** Dead-letters all due messages of all shards. */
    void deadLetter(Node node) {
        for (Shard shard : node.registry().shards(TOPIC).join()) {
            List<Settlement> toDeadLetters = poll(node, shard, 500, List.of()).claims().stream()
                    .<Settlement>map(claim -> new Settlement.ToDeadLetters(
                            claim.id(), claim.token(), DeadLetterCause.REQUESTED, new Failure("requested", "no use")))
                    .toList();
            poll(node, shard, 0, toDeadLetters);
        }
    }

    @Override
    public void close() {
        scripts.close();
    }
}
