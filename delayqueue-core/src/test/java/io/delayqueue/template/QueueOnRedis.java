package io.delayqueue.template;

import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.container.Happenings;
import io.delayqueue.convert.JsonPayloadConverter;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.FirstConnection;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.Claim;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.ServerClock;
import io.delayqueue.store.script.Recurrences;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import tools.jackson.databind.json.JsonMapper;

/** A queue with a proxy in front of a real Redis. */
public final class QueueOnRedis implements AutoCloseable {

    private static final Claiming CLAIMING = new Claiming(
            PollRequest.MAX_BATCH, PollRequest.MAX_BYTES, Duration.ofMinutes(1), false, false, PollRequest.MAX_BATCH);

    /** No test waits for it. */
    public static final Duration COMMAND_TIMEOUT = Duration.ofMinutes(1);

    /** The command timeout of tests that wait for it. */
    public static final Duration SHORT_COMMAND_TIMEOUT = Duration.ofMillis(500);

    public final RedisServerProcess server;
    public final FaultProxy proxy;
    public final QueueConnections connections;
    public final KeySpace keySpace = new KeySpace("dq");
    public final TopicRegistry topics;
    public final MessageStore store;
    public final ServerClock clock;
    public final ScriptFaults faults = new ScriptFaults();
    public final ScriptRunner scripts;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicLong sequence = new AtomicLong();
    public final Happenings recorded = new Happenings();
    public final EventBus events = new EventBus(List.of(recorded));

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
        this.connections = new QueueConnections(
                new LettuceConnectionFactory(proxy.host(), proxy.port()),
                new QueueConnections.Settings(commandTimeout, Duration.ofMillis(100)),
                System::nanoTime);
        this.clock = new ServerClock(server);
        this.scripts = counted(faults.around(clock.over(new RedisScripts(connections, (script, failure) -> {}))));
        this.topics = new TopicRegistry(scripts, keySpace, plan);
        this.store = new RedisMessageStore(scripts, keySpace, topics);
    }

    private ScriptRunner counted(ScriptRunner runner) {
        return new ScriptRunner() {
            @Override
            public CompletableFuture<List<Object>> run(ScriptCall call) {
                begun.incrementAndGet();
                CompletableFuture<List<Object>> result = new CompletableFuture<>();
                CompletableFuture<?> unused = runner.run(call).whenComplete((reply, failure) -> {
                    // the dependents run here, and may begin another call
                    if (failure == null) {
                        result.complete(reply);
                    } else {
                        result.completeExceptionally(Completions.cause(failure));
                    }
                    ended.incrementAndGet();
                });
                return result;
            }

            @Override
            public boolean isClustered() {
                return runner.isClustered();
            }
        };
    }

    public DelayQueueTemplateBuilder templateBuilder() {
        return DelayQueueTemplate.builder(store, topics, codec(), InstantSource.system())
                .events(events);
    }

    public DelayQueueSchedules schedules() {
        return new DelayQueueSchedules(
                template(), topics, new Recurrences(scripts, keySpace, topics), InstantSource.system());
    }

    public DelayQueueInspector inspector() {
        return new DelayQueueInspector(
                store,
                new ShardReader(scripts, keySpace, topics),
                topics,
                new NodeDirectory(scripts, keySpace, Duration.ofSeconds(15)));
    }

    public DelayQueueTemplate template() {
        return templateBuilder().build();
    }

    /** Connects and registers a topic, then resets the counters of the proxy. */
    public void open(String topic) {
        store.enableNotifications(Shard.single(topic)).join();
        proxy.traffic().reset();
    }

    /**
     * Dead-letters all due messages of a topic.
     *
     * @param reason returns the reason of the first, second, ... dead letter
     */
    public void deadLetterAll(String topic, IntFunction<String> reason) {
        int count = 0;
        for (Shard shard : topics.shards(topic).join()) {
            for (int claimed = 1; claimed > 0; ) {
                List<Settlement> settlements = new ArrayList<>();
                for (Claim claim : poll(shard, List.of()).claims()) {
                    settlements.add(new Settlement.ToDeadLetters(claim.id(), claim.token(), reason.apply(count++)));
                }
                poll(shard, settlements);
                claimed = settlements.size();
            }
        }
    }

    /** Claims all due messages of a topic with one shard. */
    public void claim(String topic) {
        claim(Shard.single(topic));
    }

    public void claim(Shard shard) {
        poll(shard, List.of());
    }

    private PollReply poll(Shard shard, List<Settlement> settlements) {
        return Polls.poll(
                store,
                shard,
                new PollRequest(
                        "consumer",
                        sequence.incrementAndGet(),
                        "consumer-" + sequence.get(),
                        settlements.isEmpty() ? CLAIMING : Claiming.NOTHING,
                        new Reclaiming(0, 10, CrashLimits.DEFAULTS, Duration.ofMinutes(1), Duration.ZERO),
                        false,
                        settlements,
                        List.of()));
    }

    public static PayloadCodec codec() {
        return new PayloadCodec(new JsonPayloadConverter(JsonMapper.builder().build()));
    }

    /** Number of script calls that have begun. */
    public int calls() {
        return begun.get();
    }

    /** Whether a script call has no result yet, or the dependents of its result are running. */
    public boolean isCalling() {
        int before = ended.get();
        return before < begun.get();
    }

    @Override
    public void close() {
        connections.close();
        proxy.close();
    }
}
