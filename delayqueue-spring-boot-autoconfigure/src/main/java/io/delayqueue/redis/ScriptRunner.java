package io.delayqueue.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Runs Lua scripts on the master that serves their keys. Thread-safe.
 *
 * <p>Replies are what Redis sent: {@code byte[]}, {@code Long}, {@code null} or a {@code List} of these.
 */
public interface ScriptRunner {

    /**
     * Runs a script and waits for its reply, at most the command time-out.
     *
     * @param script the script
     * @param keyCount how many of the arguments are keys
     * @param keysAndArguments keys first
     * @return the reply, always a list
     * @throws RedisCallException if there is no reply; its kind says whether the script may have run
     */
    List<Object> run(LuaScript script, int keyCount, byte[]... keysAndArguments);

    /**
     * The same without blocking the caller, not even to connect.
     *
     * @return fails with a {@link RedisCallException}
     */
    CompletableFuture<List<Object>> runAsync(LuaScript script, int keyCount, byte[]... keysAndArguments);
}
