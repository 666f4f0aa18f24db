package io.delayqueue.test.autoconfigure;

import io.delayqueue.test.redis.NoRedisExecutableException;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The Redis that all application contexts of this JVM share, started when the first of them connects and ended with the
 * JVM. Thread-safe.
 */
final class JvmRedis {

    private static final Log logger = LogFactory.getLog(JvmRedis.class);

    /** One for the JVM: contexts come and go, and a test run may hold dozens of them at a time. */
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
     * @throws TestRedisUnavailableException if no server of this kind can be had here
     */
    synchronized RedisAddress address(TestRedisMode mode) {
        return switch (mode) {
            case EMBEDDED -> embedded();
            case DOCKER -> docker();
            case NONE -> throw new IllegalArgumentException(TestRedisMode.PROPERTY + " is none");
        };
    }

    private RedisAddress embedded() {
        RedisServerProcess server = this.embedded;
        if (server == null) {
            try {
                server = RedisServerProcess.start();
            } catch (NoRedisExecutableException ex) {
                return dockerInsteadOfEmbedded(ex);
            }
            logger.info("Started an embedded Redis for tests on port %d".formatted(server.port()));
            this.embedded = server;
        } else if (!server.isRunning()) {
            server.restart();
        }
        return new RedisAddress(server.host(), server.port());
    }

    private RedisAddress dockerInsteadOfEmbedded(NoRedisExecutableException reason) {
        if (this.docker == null && !this.dockerAvailable.getAsBoolean()) {
            throw new TestRedisUnavailableException(
                    reason.getMessage() + ", and no Docker engine answers, or Testcontainers is not on the class path.",
                    reason);
        }
        return docker();
    }

    private RedisAddress docker() {
        if (this.docker == null) {
            if (!this.dockerAvailable.getAsBoolean()) {
                throw new TestRedisUnavailableException(
                        TestRedisMode.PROPERTY
                                + " is docker, but no Docker engine answers, or Testcontainers is not on "
                                + "the class path.",
                        null);
            }
            this.docker = DockerRedis.start();
            logger.info("Started a Redis for tests in Docker, at %s".formatted(this.docker));
        }
        return this.docker;
    }
}
