package io.delayqueue.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * The established connections to Redis: a factory, its template, and the number of successive timeouts of each server.
 * Thread-safe.
 */
final class Link {

    private static final int MAX_TIMEOUTS = 2;

    private final RedisConnectionFactory factory;
    private final RedisTemplate<byte[], byte[]> template;
    private final boolean clustered;
    private volatile @Nullable RedisConnection connection;
    private final Map<Integer, Integer> timeouts = new ConcurrentHashMap<>();

    Link(RedisConnectionFactory factory, boolean clustered) {
        this.factory = factory;
        this.clustered = clustered;
        this.template = new RedisTemplate<>();
        template.setConnectionFactory(factory);
        template.setDefaultSerializer(RedisSerializer.byteArray());
        template.setEnableTransactionSupport(false);
        template.afterPropertiesSet();
    }

    RedisConnectionFactory factory() {
        return factory;
    }

    RedisTemplate<byte[], byte[]> template() {
        return template;
    }

    /** A connection that threads may share if the driver sends asynchronously. It ends with the factory. */
    RedisConnection connection() {
        RedisConnection opened = connection;
        if (opened == null) {
            opened = factory.getConnection();
            connection = opened;
        }
        return opened;
    }

    /** Records that Redis replied to a call, with a result or an error. */
    void replied(ScriptCall call) {
        if (!timeouts.isEmpty()) {
            timeouts.remove(server(call));
        }
    }

    /**
     * Records that a call timed out.
     *
     * @return whether the server of the call does not respond: the previous call timed out, too
     */
    boolean timedOut(ScriptCall call) {
        return timeouts.merge(server(call), 1, Integer::sum) >= MAX_TIMEOUTS;
    }

    /** Whether the server of a call does not respond on this connection. */
    boolean isUnresponsive(ScriptCall call) {
        return !timeouts.isEmpty() && timeouts.getOrDefault(server(call), 0) >= MAX_TIMEOUTS;
    }

    /**
     * Identifies the server of a call. In a Cluster, the slot stands for its server: other servers may still respond.
     */
    private int server(ScriptCall call) {
        return clustered ? call.slot() : 0;
    }
}
