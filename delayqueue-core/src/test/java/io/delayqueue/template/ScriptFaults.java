package io.delayqueue.template;

import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Makes script calls fail as in an outage, or holds their replies. A fault applies to the named scripts, or to all. */
public final class ScriptFaults {

    private interface Fault {
        CompletableFuture<List<Object>> apply(ScriptCall call, Supplier<CompletableFuture<List<Object>>> run);
    }

    private static final Fault NONE = (call, run) -> run.get();

    private volatile Fault fault = NONE;

    /** Ends the fault. */
    public void pass() {
        fault = NONE;
    }

    /** Calls fail because Redis cannot be reached. */
    public void refuse(String... scripts) {
        set((call, run) -> failure(Kind.NOT_SENT, call), scripts);
    }

    /** Calls fail with an unknown outcome. Redis does not run them. */
    public void loseRequests(String... scripts) {
        set((call, run) -> failure(Kind.UNKNOWN, call), scripts);
    }

    /** Calls fail with an unknown outcome. Redis runs them. */
    public void loseReplies(String... scripts) {
        set((call, run) -> run.get().thenCompose(reply -> failure(Kind.UNKNOWN, call)), scripts);
    }

    /** Redis runs the calls. Their replies arrive when the returned future is completed. */
    public CompletableFuture<Void> holdReplies(String... scripts) {
        CompletableFuture<Void> released = new CompletableFuture<>();
        set((call, run) -> run.get().thenCombine(released, (reply, nothing) -> reply), scripts);
        return released;
    }

    private void set(Fault next, String... scripts) {
        List<String> named = List.of(scripts);
        fault = (call, run) ->
                named.isEmpty() || named.contains(call.script().name()) ? next.apply(call, run) : run.get();
    }

    private static CompletableFuture<List<Object>> failure(Kind kind, ScriptCall call) {
        String message = kind == Kind.NOT_SENT ? "Redis cannot be reached" : "no reply in time";
        return CompletableFuture.failedFuture(
                new RedisCallException(kind, call.script().name() + ": " + message, null));
    }

    ScriptRunner around(ScriptRunner runner) {
        return new ScriptRunner() {
            @Override
            public CompletableFuture<List<Object>> run(ScriptCall call) {
                return fault.apply(call, () -> runner.run(call));
            }

            @Override
            public boolean isClustered() {
                return runner.isClustered();
            }
        };
    }
}
