package io.delayqueue.template;

import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * A queue on a Redis that is emptied before each test. A class that kills or pauses its Redis, or adds a replica,
 * requires a dedicated one.
 */
@EmbeddedRedis
@Timeout(60)
public abstract class RedisTest {

    protected static RedisServerProcess server;

    protected QueueOnRedis queue;

    @BeforeAll
    static void useServer(RedisServerProcess redis) {
        server = redis;
    }

    @BeforeEach
    void connect() {
        if (!server.isRunning()) {
            server.restart();
        }
        server.flush();
        queue = new QueueOnRedis(server, plan(), commandTimeout());
    }

    /** How many shards topics are to have. */
    protected ShardPlan plan() {
        return ShardPlan.NONE;
    }

    /** How long a call waits for Redis. */
    protected Duration commandTimeout() {
        return QueueOnRedis.COMMAND_TIMEOUT;
    }

    /** Begins anew with a command timeout that a test may wait for; a call that it needs may take longer on a busy machine. */
    protected final void giveUpSoon() {
        queue.close();
        queue = new QueueOnRedis(server, plan(), QueueOnRedis.SHORT_COMMAND_TIMEOUT);
    }

    @AfterEach
    void disconnect() {
        queue.close();
    }
}
