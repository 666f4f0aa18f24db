package io.delayqueue.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

/** One dialled way to Redis: a factory, the template on it, and how long each server has been silent. Thread-safe. */
final class Link {

    private static final int SILENT = 2;

    private final RedisConnectionFactory factory;
    private final RedisTemplate<byte[], byte[]> template;
    private final boolean clustered;
    private final Map<Integer, Integer> unanswered = new ConcurrentHashMap<>();

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

    /** Redis answered a call, be it with an error. */
    void answered(ScriptCall call) {
        if (!unanswered.isEmpty()) {
            unanswered.remove(server(call));
        }
    }

    /**
     * A call was not answered in time.
     *
     * @return whether the server that serves it counts as silent: the call before was not answered either
     */
    boolean unanswered(ScriptCall call) {
        return unanswered.merge(server(call), 1, Integer::sum) >= SILENT;
    }

    /** Whether the server that serves a call does not answer on this connection. */
    boolean isSilent(ScriptCall call) {
        return !unanswered.isEmpty() && unanswered.getOrDefault(server(call), 0) >= SILENT;
    }

    /** In a cluster other servers may answer while one is silent: a slot stands for the server that serves it. */
    private int server(ScriptCall call) {
        return clustered ? call.slot() : 0;
    }
}
