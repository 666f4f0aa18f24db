package io.delayqueue.store.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.Due;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Keys;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.script.Recurrences;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicLimiter;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.Dump;
import io.delayqueue.testing.RawRedis;
import io.delayqueue.testing.ShardLimits;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * The store on a Redis that only tests of scripts use, with one open and empty shard before each test. With a driven clock, scripts read the
 * time from a key, which is {@link #T0} until the test changes it. Apart from that, the scripts are the production
 * ones.
 */
public final class StoreBench implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {

    /** Initial time of the driven clock in milliseconds since 1970. */
    public static final long T0 = 1_700_000_000_000L;

    private static final String ORDERED = "ordered";
    private static final String CLOCK = "bench:clock";
    private static final String SET_CLOCK =
            "redis.call('HDEL', KEYS[1], '')" + " redis.call('HSET', KEYS[1], 's', ARGV[1], 'us', ARGV[2])";

    private static final Namespace NAMESPACE = Namespace.create(StoreBench.class);

    private final boolean driven;
    private final Shard shard;
    private final KeySpace keySpace = new KeySpace("dq");
    private RedisServerProcess server;
    private RawRedis redis;
    private RawScripts scripts;
    private QueueProcess process;

    private StoreBench(boolean driven, Keys keys) {
        this.driven = driven;
        this.shard = new Shard("orders", 0, 1, keys, QueueKind.MESSAGES);
    }

    /** Creates a bench with a clock driven by the test. */
    public static StoreBench withDrivenClock() {
        return new StoreBench(true, Keys.NONE);
    }

    /** Creates a bench with a clock driven by the test, whose topic is ordered. */
    public static StoreBench ofOrderedTopic() {
        return new StoreBench(true, Keys.ORDERED);
    }

    /** Creates a bench with a clock driven by the test, whose topic is fair. */
    public static StoreBench ofFairTopic() {
        return new StoreBench(true, Keys.FAIR);
    }

    /** Creates a bench with the clock of the Redis server. */
    public static StoreBench withServerClock() {
        return new StoreBench(false, Keys.NONE);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        server = context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent("server", key -> RedisServerProcess.start(), RedisServerProcess.class);
        redis = new RawRedis(server.port());
        scripts = new RawScripts(redis);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        reset();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        redis.close();
    }

    /** Resets to an empty Redis with one open shard and a new process. */
    public void reset() {
        redis.call("FLUSHALL", "SYNC"); // Valkey 8 and newer free memory later by default
        undisturbed();
        clock(T0);
        restartProcess();
        store().enableNotifications(shard).join();
        redis.call("HDEL", key("meta"), "notifications");
        if (driven) {
            redis.call("HSET", key("meta"), "polled", T0);
            redis.call("HSET", key("notifications.meta"), "polled", T0);
        }
    }

    /**
     * Replaces the content of Redis by a dump, with a clock 20 s after {@link #T0}, and restarts the process.
     *
     * @param dump name of a file beside the tests of scripts; if there is none, Redis is empty
     */
    public void restore(String dump) throws IOException {
        redis.call("FLUSHALL");
        undisturbed();
        try (InputStream stored = StoreBench.class.getResourceAsStream("/io/delayqueue/store/script/" + dump)) {
            if (stored != null) {
                Dump.restore(redis, new String(stored.readAllBytes(), UTF_8));
            }
        }
        clock(T0 + 20_000);
        restartProcess();
    }

    /** Replaces the process by a new one with empty caches on the same Redis. */
    public void restartProcess() {
        process = process(scripts);
    }

    private QueueProcess process(ScriptRunner runner) {
        return process(runner, Map.of());
    }

    private QueueProcess process(ScriptRunner runner, Map<String, TopicLimits> declared) {
        TopicRegistry registry = new TopicRegistry(
                runner,
                keySpace,
                new ShardPlan(
                        Map.of(),
                        Map.of(shard.topic(), shard.keys(), ORDERED, Keys.ORDERED),
                        ShardPlan.OnConflict.FAIL),
                declared);
        return new QueueProcess(
                registry,
                new RedisMessageStore(runner, keySpace, registry),
                new ShardReader(runner, keySpace, registry),
                new TopicDeletion(runner, keySpace, registry),
                new TopicLimiter(runner, keySpace, registry),
                new Recurrences(runner, keySpace, registry));
    }

    /** Replaces the process by one that runs the same scripts, with the same clock, through another runner. */
    public MessageStore processOver(ScriptRunner runner) {
        ScriptRunner modified = call -> runner.run(RawScripts.with(scripts.variantOf(call.script()), call));
        process = process(modified);
        return process.store();
    }

    /** Sets the driven clock, even if the memory of Redis is full. */
    public void clock(long millis) {
        redis.call("EVAL", SET_CLOCK, 1, CLOCK, millis / 1000, millis % 1000 * 1000);
    }

    /** Counts the commands that Redis executes during an action, including those in scripts. */
    public Map<String, Long> commands(Runnable action) {
        Map<String, Long> before = commandStatistics();
        action.run();
        Map<String, Long> after = commandStatistics();
        after.merge("info", -1L, Long::sum);
        before.forEach((command, calls) -> after.merge(command, -calls, Long::sum));
        after.values().removeIf(calls -> calls == 0);
        return after;
    }

    private Map<String, Long> commandStatistics() {
        Map<String, Long> calls = new TreeMap<>();
        redis.text("INFO", "commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_"))
                .forEach(line -> {
                    String number = line.substring(line.indexOf("calls=") + 6, line.indexOf(','));
                    calls.put(line.substring(8, line.indexOf(':')), Long.valueOf(number));
                });
        return calls;
    }

    /** Runs scripts unmodified again. */
    public void undisturbed() {
        scripts.resetVariant();
        if (driven) {
            scripts.useClockIn(CLOCK);
        }
    }

    /** From now on, sends and polls take the long way, also where a short way exists. */
    public void takeLongWay() {
        scripts.takeLongWay();
    }

    /** From now on, scripts with this name fail before their n-th write, counted from 0. */
    public void stoppedBefore(String name, int write) {
        scripts.failBefore(name, write);
    }

    /** From now on, each script is executed twice. */
    public void twice() {
        scripts.executeTwice();
        scripts.replies();
    }

    /** Replies of scripts executed twice: each first reply is followed by its second one. */
    public List<List<Object>> replies() {
        return scripts.replies();
    }

    /** Runs a call and returns whether the test stopped a script of it. */
    public boolean stops(Runnable call) {
        try {
            call.run();
            return false;
        } catch (RedisCallException e) {
            assertThat(e).hasMessageContaining("stopped by the test");
            assertThat(e.kind()).isEqualTo(RedisCallException.Kind.STOPPED);
            return true;
        }
    }

    /** Names of the scripts executed since the last call of this method. */
    public Set<String> executed() {
        return scripts.executed();
    }

    /** Runs the scripts of the current process. */
    public ScriptRunner scripts() {
        return scripts;
    }

    /** The components of a process, which share one topic registry. */
    public record QueueProcess(
            TopicRegistry registry,
            MessageStore store,
            ShardReader reader,
            TopicDeletion deletion,
            TopicLimiter limiter,
            Recurrences recurrences) {}

    /** Creates another process with empty caches on the same Redis. */
    public QueueProcess another(UnaryOperator<ScriptRunner> around) {
        return process(around.apply(scripts));
    }

    /** Creates another process with empty caches on the same Redis, which declares limits. */
    public QueueProcess declaring(Map<String, TopicLimits> declared) {
        return process(scripts, declared);
    }

    /** The current process. */
    public QueueProcess process() {
        return process;
    }

    /** The store of the current process. */
    public MessageStore store() {
        return process.store();
    }

    /** The shard reader of the current process. */
    public ShardReader reader() {
        return process.reader();
    }

    /** The open shard. */
    public Shard shard() {
        return shard;
    }

    /** The shard of a further topic, which is ordered. */
    public Shard orderedShard() {
        return new Shard(ORDERED, 0, 1, Keys.ORDERED, QueueKind.MESSAGES);
    }

    /** The key space. */
    public KeySpace keySpace() {
        return keySpace;
    }

    /** A connection for commands of the test. */
    public RawRedis redis() {
        return redis;
    }

    /** The Redis server. */
    public RedisServerProcess server() {
        return server;
    }

    /** Returns a key of the shard, for example {@code schedule}, {@code notifications.schedule} or {@code meta}. */
    public byte[] key(String name) {
        return ShardState.name(keySpace, shard, name);
    }

    /** Writes a state to the shard. */
    public void given(ShardState state) {
        state.writeTo(redis, keySpace, shard);
    }

    /** Limits the scheduled and leased messages of the shard. */
    public void limit(int messages) {
        limit(shard, messages);
    }

    /** Sets the limits of the shard, see {@code keys.lua}. */
    public void limits(String limits) {
        redis.call((Object[]) ShardLimits.command(new String(key("meta"), UTF_8), limits));
    }

    /** Limits the scheduled and leased messages of another shard, which is open. */
    public void limit(Shard other, int messages) {
        redis.call((Object[]) ShardLimits.command(new String(keySpace.of(other).meta(), UTF_8), messages));
    }

    /** Reads the state of the shard. */
    public ShardState state() {
        return state(shard);
    }

    /** Reads the state of another shard, whose notifications are enabled. */
    public ShardState state(Shard other) {
        return ShardState.read(redis, keySpace, other);
    }

    /** Fields of {@code meta} or {@code notifications.meta}. */
    public Map<String, String> meta(String key) {
        Map<String, String> fields = new TreeMap<>();
        List<?> all = (List<?>) requireNonNull(redis.call("HGETALL", key(key)));
        for (int i = 0; i < all.size(); i += 2) {
            fields.put(
                    new String((byte[]) requireNonNull(all.get(i)), UTF_8),
                    new String((byte[]) requireNonNull(all.get(i + 1)), UTF_8));
        }
        return fields;
    }

    /** Polls the messages of the shard. */
    public PollReply poll(Polls poll) {
        return Polls.poll(store(), shard, poll.build());
    }

    /** Sends messages in one call. */
    public List<SendReply> send(OutgoingMessage... messages) {
        return send(List.of(messages));
    }

    /** Sends messages in one call. */
    public List<SendReply> send(List<OutgoingMessage> messages) {
        return Calls.send(store(), shard, messages);
    }

    /** Cancels a message. */
    public CancelOutcome cancel(String id) {
        return Calls.cancel(store(), shard, id);
    }

    /** Reschedules a message. */
    public RescheduleOutcome reschedule(String id, Due due) {
        return Calls.reschedule(store(), shard, id, due);
    }

    /** Returns the signals published during an action. */
    public List<String> signals(Consumer<MessageStore> action) {
        try (RawRedis listener = new RawRedis(server.port())) {
            listener.call("SUBSCRIBE", keySpace.signalChannel());
            action.accept(store());
            redis.call("PUBLISH", keySpace.signalChannel(), "end");
            List<String> received = new ArrayList<>();
            while (true) {
                List<?> push = (List<?>) requireNonNull(listener.receive());
                String signal = new String((byte[]) requireNonNull(push.get(2)), UTF_8);
                if (signal.equals("end")) {
                    return received;
                }
                received.add(signal);
            }
        }
    }
}
