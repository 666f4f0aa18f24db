package io.delayqueue.test.autoconfigure;

import io.delayqueue.test.redis.NoRedisExecutableException;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The Redis that all application contexts of this JVM share. It starts when the first of them connects and ends with
 * the JVM. Thread-safe.
 */
final class JvmRedis {

    private static final Log logger = LogFactory.getLog(JvmRedis.class);

    /** One per JVM, because a test run may have many contexts at a time. */
    private static final JvmRedis INSTANCE = new JvmRedis(DockerRedis::isAvailable);

    private final BooleanSupplier dockerAvailable;

    private @Nullable RedisServerProcess embedded;

    private @Nullable RedisAddress docker;

    JvmRedis(BooleanSupplier dockerAvailable) {
        this.dockerAvailable = dockerAvailable;
    }

    static JvmRedis get() {
        return INSTANCE;
    }

    /**
     * The address of a running server, which is started if it is not running.
     *
     * @throws TestRedisUnavailableException if no server of this kind is available
     */
    synchronized RedisAddress address(TestRedisMode mode) {
        return switch (mode) {
            case EMBEDDED -> embedded();
            case DOCKER -> docker(TestRedisMode.PROPERTY + " is docker, but", null);
            case NONE -> throw new IllegalArgumentException(TestRedisMode.PROPERTY + " is none");
        };
    }

    private RedisAddress embedded() {
        RedisServerProcess server = this.embedded;
        if (server == null) {
            try {
                server = RedisServerProcess.start();
            } catch (NoRedisExecutableException ex) {
                return docker(ex.getMessage() + ", and", ex);
            }
            logger.info("Started an embedded Redis for tests on port %d".formatted(server.port()));
            this.embedded = server;
        } else if (!server.isRunning()) {
            server.restart();
        }
        return new RedisAddress(server.host(), server.port());
    }

    private RedisAddress docker(String reason, @Nullable Throwable cause) {
        if (this.docker == null) {
            if (!this.dockerAvailable.getAsBoolean()) {
                throw new TestRedisUnavailableException(
                        reason + " no Docker engine replies, or Testcontainers is not on the class path.", cause);
            }
            this.docker = DockerRedis.start();
            logger.info("Started a Redis for tests in Docker, at %s".formatted(this.docker));
        }
        return this.docker;
    }
}
