package io.delayqueue.test.tasks;

import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * The time of a namespace, which a test moves forward. Redis has it in a key of the namespace, so that later contexts of
 * the namespace continue with it. The scripts of the queue, the clock of the application and the monotonic clock of the
 * engine follow. While the clock is stopped, they stand still.
 *
 * <p>Any thread may read the clocks. One thread at a time stops, moves and resumes them.
 */
final class TestTime {

    private static final LuaScript TIME = LuaScript.beside(TestTime.class, "test-clock");

    /** This script, and the one that compares the clocks of servers. */
    private static final Set<String> READ_REAL_TIME = Set.of(TIME.name(), "probe");

    private static final String READS_CLOCK = "redis.call('TIME')";

    /** An expression, because some scripts have nearly as many local variables as Lua permits. */
    private static final String READS_TEST_CLOCK = """
            (function()
              local time, clock = redis.call('TIME'), redis.call('GET', '%s')
              if not clock then
                return time
              end
              local micros = string.sub(clock, 1, 1) == '=' and tonumber(string.sub(clock, 2))
                or time[1] * 1000000 + time[2] + clock
              return {string.format('%%.0f', math.floor(micros / 1000000)), string.format('%%.0f', micros %% 1000000)}
            end)()\
            """;

    private final ScriptRunner scripts;
    private final String key;

    private volatile CompletableFuture<Micros> micros;
    private volatile Nanos nanos = new Nanos(0, false);
    /** Whether the clock may be stopped in Redis. */
    private volatile boolean stopped;

    /** A time if the clock is stopped, else what is added to the time of the system. */
    private record Micros(long value, boolean stopped) {

        static final Micros SYSTEM = new Micros(0, false);

        long now() {
            return stopped ? value : ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) + value;
        }
    }

    /** The same for the monotonic clock. */
    private record Nanos(long value, boolean stopped) {

        long now() {
            return stopped ? value : System.nanoTime() + value;
        }
    }

    TestTime(ScriptRunner scripts, KeySpace keySpace) {
        this.scripts = scripts;
        this.key = key(keySpace);
        this.micros = read();
    }

    private static String key(KeySpace keySpace) {
        return keySpace.namespace() + ":test-clock";
    }

    /** Maps each script to a variant that reads the time of the namespace. */
    static UnaryOperator<LuaScript> variants(KeySpace keySpace) {
        Map<LuaScript, LuaScript> variants = new ConcurrentHashMap<>();
        String readsTestClock = READS_TEST_CLOCK.formatted(key(keySpace));
        return script -> READ_REAL_TIME.contains(script.name())
                ? script
                : variants.computeIfAbsent(
                        script,
                        original -> original.text().contains(READS_CLOCK)
                                ? LuaScript.of(original.name(), original.text().replace(READS_CLOCK, readsTestClock))
                                : original);
    }

    /** Reads the time from Redis again: another context may have moved it. Has no effect while the clocks are stopped. */
    void refresh() {
        if (!stopped) {
            micros = read();
        }
    }

    /** If Redis cannot be read, the time is that of the system. Another use of Redis will tell why. */
    private CompletableFuture<Micros> read() {
        return call("").handle((reply, failure) -> failure == null ? running(reply) : Micros.SYSTEM);
    }

    private static Micros running(List<Object> reply) {
        return new Micros((Long) reply.get(1), false);
    }

    private static Micros stopped(List<Object> reply) {
        return new Micros((Long) reply.get(0), true);
    }

    /** The time in µs since 1970. */
    long micros() {
        CompletableFuture<Micros> known = micros;
        boolean mayWait = !(Thread.currentThread() instanceof Await.ClientThread);
        return (mayWait ? known.join() : known.getNow(Micros.SYSTEM)).now();
    }

    /** The monotonic clock. */
    long nanos() {
        return nanos.now();
    }

    /** The clocks are stopped until this is closed. */
    interface Stopped extends AutoCloseable {

        /**
         * Lets the clocks run on.
         *
         * @throws IllegalStateException if Redis is unavailable; the clocks then stay stopped
         */
        @Override
        void close();
    }

    /** Stops the clocks. */
    Stopped stop() {
        stopped = true; // first: if there is no reply, the script may have run
        Micros now = stopped(run("stop"));
        nanos = new Nanos(nanos.now(), true);
        set(now);
        return this::resume;
    }

    /** Moves the stopped clocks to a later time in µs since 1970. */
    void moveTo(long time) {
        long before = micros();
        Micros now = stopped(run(Long.toString(time)));
        nanos = new Nanos(nanos.now() + (now.value() - before) * 1000, true);
        set(now);
    }

    /** Lets the clocks run on if Redis was unavailable when they should have. */
    void resumeIfStopped() {
        if (stopped) {
            resume();
        }
    }

    /** Calls Redis before any clock runs on, so that the clocks stay together if it is unavailable. */
    private void resume() {
        List<Object> reply = run("");
        if (nanos.stopped()) {
            // more than zero if a move had no reply, or if another context of the namespace has resumed the clock
            long passed = Math.max(0, (Long) reply.get(0) - micros());
            nanos = new Nanos(nanos.value() + passed * 1000 - System.nanoTime(), false);
        }
        set(running(reply));
        stopped = false;
    }

    private void set(Micros known) {
        micros = CompletableFuture.completedFuture(known);
    }

    private List<Object> run(String argument) {
        try {
            return Await.call(() -> call(argument));
        } catch (RedisCallException e) {
            throw new IllegalStateException(
                    "The test's clock, key '" + key + "', cannot be used: " + e.getMessage(), e);
        }
    }

    private CompletableFuture<List<Object>> call(String argument) {
        return scripts.run(new ScriptCall(TIME, key.getBytes(StandardCharsets.UTF_8)).add(argument));
    }

    /** The clock for the application. */
    Clock clock() {
        return new View(this, ZoneId.systemDefault());
    }

    private static final class View extends Clock {

        private final TestTime time;
        private final ZoneId zone;

        View(TestTime time, ZoneId zone) {
            this.time = time;
            this.zone = zone;
        }

        @Override
        public ZoneId getZone() {
            return zone;
        }

        @Override
        public Clock withZone(ZoneId other) {
            return new View(time, other);
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH.plus(time.micros(), ChronoUnit.MICROS);
        }

        @Override
        public String toString() {
            return "clock of the delay queue's test in " + zone;
        }
    }
}
