package io.delayqueue.web.compat.ids;

import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The scripts of a process that crashes after some calls. Later calls do not reach Redis. */
final class CrashingScripts implements ScriptRunner {

    private final ScriptRunner scripts;
    private int left = Integer.MAX_VALUE;
    private boolean lastArrives;

    CrashingScripts(ScriptRunner scripts) {
        this.scripts = scripts;
    }

    /**
     * Crashes after some calls.
     *
     * @param lastArrives whether one more call reaches Redis without a reply to this process
     */
    synchronized void crashAfter(int calls, boolean lastArrives) {
        this.left = calls;
        this.lastArrives = lastArrives;
    }

    synchronized boolean crashed() {
        return left < 0;
    }

    @Override
    public boolean isClustered() {
        return scripts.isClustered();
    }

    @Override
    public synchronized CompletableFuture<List<Object>> run(ScriptCall call) {
        left--;
        if (left >= 0) {
            return scripts.run(call);
        }
        CompletableFuture<List<Object>> crash =
                CompletableFuture.failedFuture(new RedisCallException(Kind.UNKNOWN, "the process crashed", null));
        if (!lastArrives) {
            return crash;
        }
        lastArrives = false;
        return scripts.run(call).thenCompose(unheard -> crash);
    }
}
