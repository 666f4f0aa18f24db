package io.delayqueue.redis;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** One Redis client library, configured as the application's. Thread-safe. */
interface Driver {

    /**
     * Dials for commands.
     *
     * @return a factory whose connection was made; whoever gets it releases it
     * @throws RuntimeException if Redis cannot be reached
     */
    RedisConnectionFactory forCommands();

    /**
     * Gives a factory for one subscription, not necessarily connected.
     *
     * @return whoever gets it releases it
     */
    RedisConnectionFactory forSignals();

    /** Closes a factory that this driver made, with its connections. */
    void release(RedisConnectionFactory factory);

    /** Whether the hash slot of a script's first key decides which server runs it. */
    boolean clustered();

    /** Sends without waiting, or {@code null} if the client library cannot. */
    @Nullable
    Sender sender();

    /** Closes what all factories share. */
    void close();

    /** Sends scripts without waiting. */
    interface Sender {

        /**
         * Sends a script.
         *
         * @param whole whether to send its text, not its digest
         */
        CompletionStage<?> send(RedisConnection connection, ScriptCall call, boolean whole);
    }
}
