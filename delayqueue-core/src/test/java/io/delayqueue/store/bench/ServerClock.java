package io.delayqueue.store.bench;

import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A clock for the scripts of a running Redis, set by the test. It changes only the time that scripts read. Redis
 * expires keys by the system clock.
 */
public final class ServerClock {

    private static final String KEY = "test:clock-ahead";
    private static final String TIME = "redis.call('TIME')";
    private static final String SET_TIME = """
            (function()
              local real, ahead = redis.call('TIME'), redis.call('GET', '%s') or 0
              local at = real[1] * 1000000 + real[2] + ahead * 1000
              return {string.format('%%.0f', math.floor(at / 1000000)), string.format('%%.0f', at %% 1000000)}
            end)()""".formatted(KEY).replaceAll("\\s*\n\\s*", " ");

    private final RedisServerProcess redis;
    private final Map<String, LuaScript> variants = new ConcurrentHashMap<>();

    /** Creates a clock that shows the system time until it is set. */
    public ServerClock(RedisServerProcess redis) {
        this.redis = redis;
    }

    /** Sets how far the clock is ahead of the system time. */
    public void setAhead(Duration time) {
        redis.command("SET", KEY, Long.toString(time.toMillis()));
    }

    /** Moves the clock forward from its present setting. */
    public void advance(Duration time) {
        redis.command("INCRBY", KEY, Long.toString(time.toMillis()));
    }

    /** Current time of this clock in milliseconds since 1970. */
    public long millis() {
        Object ahead = redis.command("GET", KEY);
        return SystemClock.millis() + (ahead == null ? 0 : Long.parseLong(String.valueOf(ahead)));
    }

    /** Returns a runner whose scripts read this clock. */
    public ScriptRunner over(ScriptRunner runner) {
        return call -> runner.run(RawScripts.with(variantOf(call.script()), call));
    }

    private LuaScript variantOf(LuaScript script) {
        return variants.computeIfAbsent(script.sha1(), sha1 -> {
            String text = script.text().replace(TIME, SET_TIME);
            return LuaScript.of(script.name(), text);
        });
    }
}
