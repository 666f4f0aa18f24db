package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.RedisServerProcess;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The master as reported by one Sentinel.
 *
 * @param port the port of the master
 * @param flags {@code master}, and its problems if there are any
 * @param epoch the epoch of the failover by which it became the master; the latest has the highest
 * @param otherSentinels the number of other Sentinels that this one knows
 */
record MonitoredMaster(int port, String flags, long epoch, int otherSentinels) {

    static MonitoredMaster by(RedisServerProcess sentinel) {
        Map<String, String> master = map(ask(sentinel, "MASTER"));
        return new MonitoredMaster(
                Integer.parseInt(value(master, "port")),
                value(master, "flags"),
                Long.parseLong(value(master, "config-epoch")),
                Integer.parseInt(value(master, "num-other-sentinels")));
    }

    boolean isHealthy() {
        return this.flags.equals("master");
    }

    /** Ports of the replicas that the Sentinel considers healthy. */
    static List<Integer> healthyReplicasBy(RedisServerProcess sentinel) {
        return ask(sentinel, "REPLICAS").stream()
                .map((replica) -> map((List<?>) replica))
                .filter((replica) -> value(replica, "flags").equals("slave"))
                .map((replica) -> Integer.valueOf(value(replica, "port")))
                .toList();
    }

    private static List<?> ask(RedisServerProcess sentinel, String subject) {
        Object reply = sentinel.command(Polling.REPLY_TIMEOUT, "SENTINEL", subject, RedisSentinelProcess.MASTER_NAME);
        return (List<?>) Objects.requireNonNull(reply);
    }

    private static Map<String, String> map(List<?> pairs) {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i + 1 < pairs.size(); i += 2) {
            map.put(String.valueOf(pairs.get(i)), String.valueOf(pairs.get(i + 1)));
        }
        return map;
    }

    private static String value(Map<String, String> entries, String name) {
        return Objects.requireNonNull(entries.get(name), name);
    }
}
