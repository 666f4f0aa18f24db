package io.delayqueue.benchmark.floor;

import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Records the script calls of the store. Recorded sends can be stubbed: they return as accepted without a call of
 * Redis. Not thread-safe.
 */
final class Recorder implements ScriptRunner {

    private static final byte[] OK = "OK".getBytes(StandardCharsets.US_ASCII);

    private final BareClient.Caller redis;
    private final List<RecordedCall> calls = new ArrayList<>();
    private @Nullable LuaScript script;
    private String recorded = "";
    private boolean answering;

    /** Creates a recorder with a connection to Redis. */
    Recorder(BareClient.Caller redis) {
        this.redis = redis;
    }

    /**
     * Starts to record the calls of one script.
     *
     * @param name the script's name
     * @param answer whether calls return a stubbed reply instead of calling Redis
     */
    void record(String name, boolean answer) {
        recorded = name;
        answering = answer;
        calls.clear();
        script = null;
    }

    /** Stops recording and returns the recorded calls. */
    Recording stop() {
        if (script == null) {
            throw new IllegalStateException("No call of the script " + recorded + " was recorded");
        }
        Recording recording = new Recording(script, List.copyOf(calls));
        record("", false);
        return recording;
    }

    @Override
    public CompletableFuture<List<Object>> run(ScriptCall made) {
        LuaScript called = made.script();
        boolean kept = called.name().equals(recorded);
        RecordedCall call = new RecordedCall(messages(made), made.keys().size(), all(made));
        if (kept) {
            script = called;
            calls.add(call);
        }
        try {
            return CompletableFuture.completedFuture(kept && answering ? accepted(call) : execute(called, call));
        } catch (RedisCallException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static int messages(ScriptCall made) {
        return made.script().name().equals("send") ? number(made.arguments().get(1)) : 0;
    }

    private static byte[][] all(ScriptCall made) {
        return Stream.concat(made.keys().stream(), made.arguments().stream()).toArray(byte[][]::new);
    }

    private static int number(byte[] text) {
        return Integer.parseInt(new String(text, StandardCharsets.US_ASCII));
    }

    private static List<Object> accepted(RecordedCall call) {
        List<byte[]> dues = Collections.nCopies(call.messages(), "0".getBytes(StandardCharsets.US_ASCII));
        byte[] outcomes = "a".repeat(call.messages()).getBytes(StandardCharsets.US_ASCII);
        return List.of(OK, "0".getBytes(StandardCharsets.US_ASCII), outcomes, dues);
    }

    @SuppressWarnings("unchecked")
    private List<Object> execute(LuaScript called, RecordedCall call) {
        try {
            return (List<Object>) redis.run(called.sha1().getBytes(StandardCharsets.US_ASCII), call);
        } catch (JedisNoScriptException e) {
            return (List<Object>) redis.run(called.text(), call);
        }
    }
}
