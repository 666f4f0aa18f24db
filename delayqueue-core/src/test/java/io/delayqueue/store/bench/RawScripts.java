package io.delayqueue.store.bench;

import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.testing.RawRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Runs scripts over one connection, either unmodified or as modified variants. Calls run synchronously in the calling
 * thread. Not thread-safe.
 */
public final class RawScripts implements ScriptRunner {

    private static final String CLOCK = "redis.call('TIME')";
    /** The start of the condition of the short way, by script. */
    private static final Map<String, String> SHORT_WAYS = Map.of("send", "if n == 1 and", "poll", "local usual =");

    private final RawRedis redis;
    private final Map<String, LuaScript> variants = new ConcurrentHashMap<>();
    private UnaryOperator<LuaScript> variant = UnaryOperator.identity();
    private boolean executeTwice;
    private final List<List<Object>> replies = new ArrayList<>();
    private final Set<String> executed = new TreeSet<>();

    RawScripts(RawRedis redis) {
        this.redis = redis;
    }

    /** Returns the variant that is run instead of a script. */
    LuaScript variantOf(LuaScript script) {
        return variant.apply(script);
    }

    /** From now on, runs scripts unmodified. */
    void resetVariant() {
        variant = UnaryOperator.identity();
        executeTwice = false;
    }

    /** From now on, scripts read the time from the fields {@code s} and {@code us} of a key. */
    void useClockIn(String key) {
        variant = script ->
                cached("clock", script, text -> text.replace(CLOCK, "redis.call('HMGET', '" + key + "', 's', 'us')"));
        executeTwice = false;
    }

    /** From now on, sends and polls take the long way, also where a short way exists. */
    void takeLongWay() {
        UnaryOperator<LuaScript> before = variant;
        variant = script -> {
            String start = SHORT_WAYS.get(script.name());
            return start == null
                    ? before.apply(script)
                    : cached("long", before.apply(script), text -> withoutShortWay(text, start));
        };
    }

    private static String withoutShortWay(String text, String start) {
        if (!text.contains(start)) {
            throw new AssertionError("The short way does not start with: " + start);
        }
        return text.replace(start, start + " false and");
    }

    /** From now on, each script is executed executeTwice, as by a client that retries after a lost reply. */
    void executeTwice() {
        executeTwice = true;
    }

    /** Replies since the last call of this method: each first reply is followed by its second one. */
    List<List<Object>> replies() {
        List<List<Object>> all = List.copyOf(replies);
        replies.clear();
        return all;
    }

    /** Names of the scripts executed since the last call of this method. */
    Set<String> executed() {
        Set<String> all = new TreeSet<>(executed);
        executed.clear();
        return all;
    }

    /** From now on, scripts with this name fail before their n-th write, counted from 0. */
    void failBefore(String name, int write) {
        UnaryOperator<LuaScript> before = variant;
        variant = script -> script.name().equals(name)
                ? cached("stop" + write, before.apply(script), text -> stop(write) + text)
                : before.apply(script);
    }

    /** Returns the script that fails before its n-th write, counted from 0. */
    public static LuaScript stoppedBefore(int write, LuaScript script) {
        return LuaScript.of(script.name(), stop(write) + script.text());
    }

    private static String stop(int write) {
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
            return LuaScript.of(script.name(), text);
        });
    }

    private List<Object> executeAndRecord(ScriptCall call) {
        List<Object> reply = execute(call);
        if (executeTwice) {
            replies.add(reply);
            reply = execute(call);
            replies.add(reply);
        }
        return reply;
    }

    @SuppressWarnings("unchecked")
    private List<Object> execute(ScriptCall call) {
        LuaScript script = call.script();
        LuaScript run = variantOf(script);
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
                Kind kind = message.startsWith("OOM ") || message.contains("-OOM ") ? Kind.MEMORY_FULL : Kind.STOPPED;
                throw new RedisCallException(kind, script.name() + ": " + message, error);
            }
            redis.call("SCRIPT", "LOAD", run.text());
            return execute(call);
        }
    }

    /** Returns a call of another script with the same keys and arguments. */
    public static ScriptCall with(LuaScript script, ScriptCall call) {
        ScriptCall variant = new ScriptCall(script, call.keys()).durability(call.durability());
        call.arguments().forEach(variant::add);
        return variant;
    }

    @Override
    public CompletableFuture<List<Object>> run(ScriptCall call) {
        try {
            return CompletableFuture.completedFuture(executeAndRecord(call));
        } catch (RedisCallException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
