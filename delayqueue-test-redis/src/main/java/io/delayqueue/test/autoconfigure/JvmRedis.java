package io.delayqueue.test.autoconfigure;

import io.delayqueue.test.redis.NoRedisExecutableException;
import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The Redis that all application contexts of this JVM share, one for each directory of data. It starts when the first of
 * them connects and ends with the JVM. Thread-safe.
 */
final class JvmRedis {

    private static final Log logger = LogFactory.getLog(JvmRedis.class);

    /** One per JVM, because a test run may have many contexts at a time. */
    private static final JvmRedis INSTANCE = new JvmRedis(DockerRedis::isAvailable);

    private final BooleanSupplier dockerAvailable;

    /** By the absolute path of the data. Servers that persist nothing have an empty path. */
    private final Map<Path, RedisServerProcess> embedded = new HashMap<>();

    /** Held until the JVM ends, so that no other process starts a server with the same data. */
    private final Map<Path, FileChannel> locks = new HashMap<>();

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
     * @param directory where an embedded server persists its data; if empty, it persists nothing
     * @throws TestRedisUnavailableException if no server of this kind is available
     */
    synchronized RedisAddress address(TestRedisMode mode, Path directory) {
        return switch (mode) {
            case EMBEDDED ->
                embedded(
                        directory.toString().isEmpty()
                                ? directory
                                : directory.toAbsolutePath().normalize());
            case DOCKER -> docker(TestRedisMode.PROPERTY + " is docker, but", null);
            case NONE -> throw new IllegalArgumentException(TestRedisMode.PROPERTY + " is none");
        };
    }

    private RedisAddress embedded(Path directory) {
        RedisServerProcess server = this.embedded.get(directory);
        if (server == null) {
            try {
                server = start(directory);
            } catch (NoRedisExecutableException ex) {
                return docker(ex.getMessage() + ", and", ex);
            }
            logger.info("Started an embedded Redis for tests on port %s".formatted(server.port()));
            this.embedded.put(directory, server);
        } else if (!server.isRunning()) {
            server.restart();
        }
        return new RedisAddress(server.host(), server.port());
    }

    private RedisServerProcess start(Path directory) {
        RedisServerBuilder builder = RedisServerProcess.builder();
        if (!directory.toString().isEmpty()) {
            lock(directory);
            builder.appendOnly().setting("dir", directory.toString());
        }
        return builder.start();
    }

    private void lock(Path directory) {
        if (this.locks.containsKey(directory)) {
            return;
        }
        try {
            Files.createDirectories(directory);
            FileChannel channel =
                    FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!hasLocked(channel)) {
                channel.close();
                throw new TestRedisUnavailableException(
                        "The data in %s (%s) is in use by another Redis."
                                .formatted(directory, TestRedisConnectionDetails.DIRECTORY),
                        null);
            }
            this.locks.put(directory, channel);
        } catch (IOException ex) {
            throw new TestRedisUnavailableException(
                    "The directory %s (%s) cannot be used: %s"
                            .formatted(directory, TestRedisConnectionDetails.DIRECTORY, ex),
                    ex);
        }
    }

    private static boolean hasLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException ex) {
            return false;
        }
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
