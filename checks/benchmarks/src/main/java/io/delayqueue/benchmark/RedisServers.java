package io.delayqueue.benchmark;

import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts the measured Redis servers, without persistence. */
final class RedisServers {

    private final @Nullable Path executable;

    private RedisServers(@Nullable Path executable) {
        this.executable = executable;
    }

    /**
     * Chooses the server.
     *
     * @param wanted the executable, or null for {@code redis-server} on the path or, if missing, the embedded server
     */
    static RedisServers of(@Nullable String wanted) {
        if (wanted == null) {
            return new RedisServers(onPath().orElse(null));
        }
        Path executable = Path.of(wanted);
        if (!Files.isExecutable(executable)) {
            throw new IllegalArgumentException("--redis must be an executable file, but was " + wanted);
        }
        return new RedisServers(executable);
    }

    private static Optional<Path> onPath() {
        String path = System.getenv("PATH");
        return Arrays.stream((path == null ? "" : path).split(File.pathSeparator))
                .map(directory -> Path.of(directory, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    RedisServerProcess start() {
        RedisServerBuilder builder = RedisServerProcess.builder();
        return executable == null
                ? builder.start()
                : builder.executable(executable).start();
    }

    /** The environment on which the measurements depend. */
    Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>();
        try (RedisServerProcess redis = start()) {
            Map<String, String> server = redis.info("server");
            String valkey = server.get("valkey_version");
            environment.put(
                    "Server",
                    (valkey == null ? "Redis " + server.get("redis_version") : "Valkey " + valkey) + ", "
                            + redis.info("memory").get("mem_allocator") + ", nothing kept on disk"
                            + (executable == null ? ", embedded" : ""));
        }
        environment.put("Java", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        environment.put("Processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
        environment.put("Load before", Double.toString(load()));
        return environment;
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }
}
