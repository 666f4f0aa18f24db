package io.delayqueue.store.bench;

import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The clock of a running Redis, which a test sets. It moves the time that scripts read; what Redis itself lets expire goes
 * by the machine's.
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

    /** Of one server, whose clock is right until it is set. */
    public ServerClock(RedisServerProcess redis) {
        this.redis = redis;
    }

    /** Sets it, from the right time on. */
    public void setAhead(Duration time) {
        redis.command("SET", KEY, Long.toString(time.toMillis()));
    }

    /** What it shows, ms since 1970. */
    public long millis() {
        Object ahead = redis.command("GET", KEY);
        return System.currentTimeMillis() + (ahead == null ? 0 : Long.parseLong(String.valueOf(ahead)));
    }

    /** Runs scripts that go by it. */
    public ScriptRunner over(ScriptRunner runner) {
        return call -> runner.run(RawScripts.with(varied(call.script()), call));
    }

    private LuaScript varied(LuaScript script) {
        return variants.computeIfAbsent(script.sha1(), sha1 -> {
            String text = script.text().replace(TIME, SET_TIME);
            return new LuaScript(script.name(), text, RawScripts.sha1(text));
        });
    }
}
