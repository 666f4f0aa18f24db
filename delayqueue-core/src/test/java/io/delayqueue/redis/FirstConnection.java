package io.delayqueue.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The first connection of a JVM loads hundreds of classes, which may take longer than the short command timeouts of outage
 * tests. Fixtures make one beforehand.
 */
public final class FirstConnection {

    private static final Log log = LogFactory.getLog(FirstConnection.class);
    private static final AtomicBoolean MADE = new AtomicBoolean();

    private FirstConnection() {}

    /**
     * Connects once, without the queue and without a short timeout. A server that rejects the connection serves as
     * well.
     *
     * @param port of a server on the loopback interface
     */
    public static void make(int port) {
        if (MADE.getAndSet(true)) {
            return;
        }
        LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", port);
        factory.afterPropertiesSet();
        factory.start();
        try (RedisConnection connection = factory.getConnection()) {
            connection.ping();
        } catch (RedisConnectionFailureException e) {
            log.debug("The first connection was rejected, but has loaded its classes", e);
        } finally {
            factory.destroy();
        }
    }
}
