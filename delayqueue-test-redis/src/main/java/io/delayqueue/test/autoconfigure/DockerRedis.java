package io.delayqueue.test.autoconfigure;

import com.redis.testcontainers.RedisContainer;
import org.springframework.util.ClassUtils;
import org.testcontainers.DockerClientFactory;

/** A Redis in a container. Testcontainers ends it with the JVM. */
final class DockerRedis {

    private static final String IMAGE = "redis:7.4";

    private DockerRedis() {}

    static boolean isAvailable() {
        return ClassUtils.isPresent("com.redis.testcontainers.RedisContainer", DockerRedis.class.getClassLoader())
                && Engine.isAvailable();
    }

    static RedisAddress start() {
        return Engine.start();
    }

    /** A separate class, because it cannot be loaded without Testcontainers. */
    private static final class Engine {

        static boolean isAvailable() {
            return DockerClientFactory.instance().isDockerAvailable();
        }

        static RedisAddress start() {
            RedisContainer container = new RedisContainer(IMAGE);
            container.start();
            return new RedisAddress(container.getRedisHost(), container.getRedisPort());
        }
    }
}
