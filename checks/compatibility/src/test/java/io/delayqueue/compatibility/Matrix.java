package io.delayqueue.compatibility;

import io.delayqueue.test.redis.RedisServerProcess;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** The tests that each cell of the matrix has passed. */
final class Matrix {

    private final Map<String, Map<Access, Integer>> rows = new LinkedHashMap<>();
    private final Map<TestServer, String> versions = new LinkedHashMap<>();

    void begin(Combination combination, RedisServerProcess server) {
        Map<String, String> info = server.info("server");
        String valkey = info.get("valkey_version");
        versions.put(
                combination.server(),
                (valkey != null ? "Valkey " + valkey : "Redis " + info.get("redis_version")) + ", "
                        + combination.server().origin());
        rows.computeIfAbsent(row(combination), row -> new EnumMap<>(Access.class));
    }

    void passed(Combination combination) {
        rows.get(row(combination)).merge(combination.access(), 1, Integer::sum);
    }

    private String row(Combination combination) {
        return versions.get(combination.server());
    }

    /** The number of passed tests by server and access, in Markdown. */
    String table() {
        StringBuilder table = new StringBuilder("| server | "
                + Arrays.toString(Access.values()).replaceAll("[\\[\\]]", "").replace(", ", " | ") + " |\n|---|"
                + "---|".repeat(Access.values().length) + "\n");
        rows.forEach((row, passed) -> {
            table.append("| ").append(row).append(" |");
            for (Access access : Access.values()) {
                table.append(' ').append(passed.getOrDefault(access, 0)).append(" |");
            }
            table.append('\n');
        });
        return table.toString();
    }
}
