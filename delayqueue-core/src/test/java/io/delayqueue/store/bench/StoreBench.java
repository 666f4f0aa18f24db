package io.delayqueue.store.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.BlockingStore;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.script.RedisMessageStore;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicDeletion;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
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

/**
 * The store on a Redis of its own, one open and empty shard before each test. Unless it is told otherwise the scripts
 * read their clock from a key, which stands at {@link #T0} until the test moves it; everything else about them is real.
 */
public final class StoreBench implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {

    /** Where the clock stands at first, ms since 1970. */
    public static final long T0 = 1_700_000_000_000L;

    private static final String CLOCK = "bench:clock";
    private static final String SET_CLOCK =
            "redis.call('HDEL', KEYS[1], '')" + " redis.call('HSET', KEYS[1], 's', ARGV[1], 'us', ARGV[2])";

    private final UnaryOperator<RedisServerBuilder> settings;
    private final boolean driven;
    private final Shard shard = Shard.single("orders");
    private final KeySpace keySpace = new KeySpace("dq");
    private RedisServerProcess server;
    private RawRedis redis;
    private RawScripts scripts;
    private QueueProcess process;

    private StoreBench(UnaryOperator<RedisServerBuilder> settings, boolean driven) {
        this.settings = settings;
        this.driven = driven;
    }

    /** With a clock that the test drives. */
    public static StoreBench withDrivenClock() {
        return new StoreBench(UnaryOperator.identity(), true);
    }

    /** With Redis' own clock. */
    public static StoreBench withServerClock(UnaryOperator<RedisServerBuilder> settings) {
        return new StoreBench(settings, false);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        server = settings.apply(RedisServerProcess.builder()).start();
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
        server.close();
    }

    /** An empty Redis, one open shard, a new process. */
    public void reset() {
        redis.call("FLUSHALL");
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

    /** A process that knows nothing yet, on the same Redis. */
    public void restartProcess() {
        process = process(scripts);
    }

    private QueueProcess process(ScriptRunner runner) {
        TopicRegistry registry = new TopicRegistry(runner, keySpace);
        return new QueueProcess(
                registry,
                new BlockingStore(new RedisMessageStore(runner, keySpace, registry)),
                new ShardReader(runner, keySpace, registry),
                new TopicDeletion(runner, keySpace, registry));
    }

    /** A process that runs the same scripts, its clock driven too, by another runner. */
    public BlockingStore processOver(ScriptRunner runner) {
        ScriptRunner varied = call -> runner.run(RawScripts.with(scripts.varied(call.script()), call));
        process = process(varied);
        return process.store();
    }

    /** Moves the driven clock, also when memory is full. */
    public void clock(long millis) {
        redis.call("EVAL", SET_CLOCK, 1, CLOCK, millis / 1000, millis % 1000 * 1000);
    }

    /** How often each command was executed by what is done, within scripts too. */
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

    /** Runs scripts as they are again. */
    public void undisturbed() {
        scripts.asTheyAre();
        if (driven) {
            scripts.withClockIn(CLOCK);
        }
    }

    /** From now on, the scripts of a name fail before they write for the n-th time, counted from 0. */
    public void stoppedBefore(String name, int write) {
        scripts.stoppedBefore(name, write);
    }

    /** From now on, each script is executed twice in a row. */
    public void twice() {
        scripts.twice();
        scripts.replies();
    }

    /** First and second replies of the scripts that were executed twice. */
    public List<List<Object>> replies() {
        return scripts.replies();
    }

    /** The names of the scripts that were executed since the last call of this. */
    public Set<String> executed() {
        return scripts.executed();
    }

    /** What a process has of a queue, with one memory. */
    public record QueueProcess(
            TopicRegistry registry, BlockingStore store, ShardReader reader, TopicDeletion deletion) {}

    /** Another process on the same Redis, which knows nothing yet. */
    public QueueProcess another(UnaryOperator<ScriptRunner> around) {
        return process(around.apply(scripts));
    }

    /** The process since the last restart. */
    public QueueProcess process() {
        return process;
    }

    /** Its store. */
    public BlockingStore store() {
        return process.store();
    }

    /** What reads many messages in it. */
    public ShardReader reader() {
        return process.reader();
    }

    /** The shard that is open. */
    public Shard shard() {
        return shard;
    }

    /** The names of its keys. */
    public KeySpace keySpace() {
        return keySpace;
    }

    /** A connection for commands of the test's own. */
    public RawRedis redis() {
        return redis;
    }

    /** The server. */
    public RedisServerProcess server() {
        return server;
    }

    /** One of the shard's names: {@code schedule}, {@code notifications.schedule}, {@code meta} ... */
    public byte[] key(String name) {
        return ShardState.name(keySpace, shard, name);
    }

    /** Makes the shard hold this. */
    public void given(ShardState state) {
        state.writeTo(redis, keySpace, shard);
    }

    /** What the shard holds. */
    public ShardState state() {
        return ShardState.read(redis, keySpace, shard);
    }

    /** The bookkeeping of a queue, {@code meta} or {@code notifications.meta}. */
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

    /** A poll of the shard's messages. */
    public PollReply poll(Polls poll) {
        return store().awaitPoll(shard, poll.build());
    }

    /** The signals that are published while something is done. */
    public List<String> signals(Consumer<BlockingStore> action) {
        try (RawRedis listener = new RawRedis(server.port())) {
            listener.call("SUBSCRIBE", keySpace.signalChannel());
            action.accept(store());
            redis.call("PUBLISH", keySpace.signalChannel(), "end");
            List<String> heard = new ArrayList<>();
            while (true) {
                List<?> push = (List<?>) requireNonNull(listener.receive());
                String signal = new String((byte[]) requireNonNull(push.get(2)), UTF_8);
                if (signal.equals("end")) {
                    return heard;
                }
                heard.add(signal);
            }
        }
    }
}
