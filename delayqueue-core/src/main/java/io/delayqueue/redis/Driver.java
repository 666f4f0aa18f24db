package io.delayqueue.redis;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;

/** One Redis client library, with the configuration of the application. Thread-safe. */
interface Driver {

    /**
     * Connects for commands.
     *
     * @return a connected factory; the caller must {@link #release} it
     * @throws RuntimeException if Redis cannot be reached
     */
    RedisConnectionFactory forCommands();

    /**
     * Creates a factory for one subscription. It need not be connected yet.
     *
     * @return the factory; the caller must {@link #release} it
     */
    RedisConnectionFactory forSignals();

    /** Closes a factory that this driver created, and its connections. */
    void release(RedisConnectionFactory factory);

    /** The Redis server as error messages name it, such as {@code Redis at 127.0.0.1:6379}. */
    String server();

    /** Whether Redis is a Cluster, in which the hash slot of a script's first key selects the server. */
    default boolean clustered() {
        return false;
    }

    /** Whether {@link #send} is supported. If not, the client library can only block. */
    default boolean sendsAsynchronously() {
        return false;
    }

    /**
     * Sends a script without blocking.
     *
     * @param connection a connection of a factory for commands, which other threads may use at the same time
     * @param withText whether to send the script's text instead of its digest
     * @param onRepeat runs when the client library writes the command again, because the connection broke before the reply
     */
    default CompletionStage<?> send(RedisConnection connection, ScriptCall call, boolean withText, Runnable onRepeat) {
        throw new UnsupportedOperationException();
    }

    /**
     * Connects to a master for commands whose replication is awaited. The caller must close the connection.
     *
     * @param node the master in a Cluster; otherwise null
     * @throws RuntimeException if the master cannot be reached
     */
    MasterConnection connectToMaster(@Nullable RedisNode node);

    /** Closes the resources that all factories of this driver share. */
    default void close() {}
}
