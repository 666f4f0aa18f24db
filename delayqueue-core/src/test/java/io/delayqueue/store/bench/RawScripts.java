package io.delayqueue.store.bench;

import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Runs scripts over one connection, as they are or as variants that do something to them. Not thread-safe; the calls
 * without blocking run on the caller.
 */
public final class RawScripts implements ScriptRunner {

    private static final String CLOCK = "redis.call('TIME')";

    private final RawRedis redis;
    private final Map<String, LuaScript> variants = new ConcurrentHashMap<>();
    private UnaryOperator<LuaScript> variant = UnaryOperator.identity();
    private boolean twice;
    private final List<List<Object>> replies = new ArrayList<>();
    private final Set<String> executed = new TreeSet<>();

    RawScripts(RawRedis redis) {
        this.redis = redis;
    }

    /** What is run in place of a script. */
    LuaScript varied(LuaScript script) {
        return variant.apply(script);
    }

    /** From now on, as they are. */
    void asTheyAre() {
        variant = UnaryOperator.identity();
        twice = false;
    }

    /** From now on, with the clock that is kept in a key: its fields {@code s} and {@code us}. */
    void withClockIn(String key) {
        variant = script ->
                cached("clock", script, text -> text.replace(CLOCK, "redis.call('HMGET', '" + key + "', 's', 'us')"));
        twice = false;
    }

    /** From now on, each is executed twice, as a client does that sends an unanswered command again. */
    void twice() {
        twice = true;
    }

    /** The replies since the last call of this, first and second ones. */
    List<List<Object>> replies() {
        List<List<Object>> all = List.copyOf(replies);
        replies.clear();
        return all;
    }

    /** The names of the scripts that were executed since the last call of this. */
    Set<String> executed() {
        Set<String> all = new TreeSet<>(executed);
        executed.clear();
        return all;
    }

    /** From now on, the scripts of a name fail before they write for the n-th time, counted from 0. */
    void stoppedBefore(String name, int write) {
        UnaryOperator<LuaScript> before = variant;
        variant = script -> script.name().equals(name)
                ? cached("stop" + write, before.apply(script), text -> stopping(write) + text)
                : before.apply(script);
    }

    private static String stopping(int write) {
        return "local redis = (function(real) local left = " + write
                + " local writes = {ZADD = 1, ZREM = 1, HSET = 1, HDEL = 1, SET = 1, DEL = 1, SADD = 1, SREM = 1}"
                + " local function count(name) if writes[name] then"
                + " if left == 0 then error('stopped by the test') end left = left - 1 end end"
                + " local function call(...) count((...)) return real.call(...) end"
                + " local function pcall(...) count((...)) return real.pcall(...) end"
                + " return {call = call, pcall = pcall} end)(redis) ";
    }

    private LuaScript cached(String kind, LuaScript script, UnaryOperator<String> change) {
        return variants.computeIfAbsent(kind + script.sha1(), key -> {
            String text = change.apply(script.text());
            return new LuaScript(script.name(), text, sha1(text));
        });
    }

    public static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<Object> runNow(ScriptCall call) {
        List<Object> reply = once(call);
        if (twice) {
            replies.add(reply);
            reply = once(call);
            replies.add(reply);
        }
        return reply;
    }

    @SuppressWarnings("unchecked")
    private List<Object> once(ScriptCall call) {
        LuaScript script = call.script();
        LuaScript run = varied(script);
        executed.add(script.name());
        List<Object> parts =
                new ArrayList<>(List.of("EVALSHA", run.sha1(), call.keys().size()));
        parts.addAll(call.keys());
        parts.addAll(call.arguments());
        try {
            return (List<Object>) redis.call(parts.toArray());
        } catch (RawRedis.RedisError error) {
            String message = String.valueOf(error.getMessage());
            if (!message.startsWith("NOSCRIPT")) {
                Kind kind = message.startsWith("OOM ") ? Kind.MEMORY_FULL : Kind.STOPPED;
                throw new RedisCallException(kind, script.name() + ": " + message, error);
            }
            redis.call("SCRIPT", "LOAD", run.text());
            return once(call);
        }
    }

    /** The same call of another script. */
    public static ScriptCall with(LuaScript script, ScriptCall call) {
        ScriptCall varied = new ScriptCall(script, call.keys());
        call.arguments().forEach(varied::add);
        return varied;
    }

    @Override
    public CompletableFuture<List<Object>> run(ScriptCall call) {
        try {
            return CompletableFuture.completedFuture(runNow(call));
        } catch (RedisCallException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
