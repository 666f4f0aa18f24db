package io.delayqueue.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;

/**
 * Runs Lua scripts on the master that serves their keys. Thread-safe.
 *
 * <p>The elements of replies are {@code byte[]}, {@code Long}, {@code null} or a {@code List} of these.
 */
public interface ScriptRunner {

    /**
     * Runs a script without blocking the caller, not even to connect.
     *
     * @return the reply as a list; fails with a {@link RedisCallException} within the command timeout if there is no
     *     reply; the exception's kind says whether the script may have run. If the call has a
     *     {@link ScriptCall#durability() durability}, the list has one more element: null if it is confirmed, else a
     *     {@link RedisCallException} of the kind {@code NOT_CONFIRMED}
     */
    CompletableFuture<List<Object>> run(ScriptCall call);

    /**
     * Whether Redis is a Cluster: a call then must not have keys of several hash slots. A runner that does not know
     * returns true.
     */
    default boolean isClustered() {
        return true;
    }

    /** The masters of a Cluster, as far as the client knows them; empty if Redis is no Cluster. Does not block. */
    default List<Master> masters() {
        return List.of();
    }

    /**
     * A master of a Cluster.
     *
     * @param address host and port
     * @param slot one of its hash slots
     * @param serves whether it serves a hash slot
     */
    record Master(String address, int slot, IntPredicate serves) {}
}
