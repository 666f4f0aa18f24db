package io.delayqueue.redis;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

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
    boolean clustered();

    /** Sends scripts without blocking; {@code null} if the client library can only block. */
    @Nullable
    Sender sender();

    /** Closes the resources that all factories of this driver share. */
    void close();

    /** Sends scripts without blocking. */
    interface Sender {

        /**
         * Sends a script.
         *
         * @param whole whether to send the script's text instead of its digest
         */
        CompletionStage<?> send(RedisConnection connection, ScriptCall call, boolean whole);
    }
}
