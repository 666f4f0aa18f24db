package io.delayqueue.compatibility;

import io.delayqueue.test.redis.RedisServerProcess;
import java.util.List;
import java.util.Map;

/**
 * Servers that run.
 *
 * @param nodes the servers, of which an administrator can use each without TLS
 * @param owner stops them
 * @param properties with which Spring Boot connects to them
 */
record RunningRedis(List<RedisServerProcess> nodes, AutoCloseable owner, Map<String, String> properties)
        implements AutoCloseable {

    RedisServerProcess node() {
        return nodes.get(0);
    }

    @Override
    public void close() {
        try {
            owner.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
