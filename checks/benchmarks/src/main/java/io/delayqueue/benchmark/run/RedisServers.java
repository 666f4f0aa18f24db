package io.delayqueue.benchmark.run;

import io.delayqueue.benchmark.trial.InstructionsTrial;
import io.delayqueue.test.redis.RedisServerBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts the measured Redis servers, without persistence. */
public final class RedisServers {

    private final @Nullable Path executable;

    private RedisServers(@Nullable Path executable) {
        this.executable = executable;
    }

    /**
     * Chooses the server.
     *
     * @param wanted the executable, or null for {@code redis-server} on the path or, if missing, the embedded server
     */
    public static RedisServers of(@Nullable String wanted) {
        if (wanted == null) {
            return new RedisServers(onPath("redis-server").orElse(null));
        }
        Path executable = Path.of(wanted);
        if (!Files.isExecutable(executable)) {
            throw new IllegalArgumentException("--redis must be an executable file, but was " + wanted);
        }
        return new RedisServers(executable);
    }

    private static Optional<Path> onPath(String program) {
        String path = System.getenv("PATH");
        return Arrays.stream((path == null ? "" : path).split(File.pathSeparator))
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Whether the instructions of a server can be counted. */
    public static boolean canCount() {
        return onPath("valgrind").isPresent();
    }

    RedisServerProcess start() {
        RedisServerBuilder builder = RedisServerProcess.builder();
        return executable == null
                ? builder.start()
                : builder.executable(executable).start();
    }

    /**
     * Starts a server whose instructions callgrind counts, with few periodic tasks.
     *
     * @param other another server that runs as long as this one
     */
    RedisServerProcess startCounted(RedisServerProcess other) throws IOException {
        Path server = executable == null ? other.directory().resolve("redis-server") : executable.toAbsolutePath();
        Path counted = other.directory().resolve("counted-redis-server");
        Files.writeString(
                counted,
                "#!/bin/sh\nexec valgrind -q --tool=callgrind --trace-children=yes --callgrind-out-file="
                        + InstructionsTrial.COUNTS + " '" + server + "' \"$@\"\n");
        if (!counted.toFile().setExecutable(true)) {
            throw new IOException(counted + " cannot be made executable");
        }
        return RedisServerProcess.builder()
                .executable(counted)
                .setting("hz", "1")
                .start();
    }

    /** The environment on which the measurements depend. */
    public Map<String, String> environment() {
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
