package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.result.Quantity;
import java.util.HashMap;
import java.util.Map;
import redis.clients.jedis.Jedis;

/** Reads statistics of Redis for the time between a start and a stop. Not thread-safe. */
final class RedisMeter implements AutoCloseable {

    private static final double MICROS = 1e6;
    private static final double MICROS_PER_MILLI = 1e3;

    private final Jedis jedis;
    private final Allocation allocation = new Allocation();
    private double userBefore;
    private double systemBefore;
    private long allocatedBefore;
    private long startedAt;
    private Map<Quantity, Double> totals = Map.of();

    RedisMeter(int port) {
        jedis = new Jedis("127.0.0.1", port);
    }

    void start() {
        jedis.configSet("latency-tracking-info-percentiles", "50 99 100");
        Map<String, String> cpu = info("cpu");
        userBefore = number(cpu, "used_cpu_user");
        systemBefore = number(cpu, "used_cpu_sys");
        allocatedBefore = allocation.bytes();
        jedis.configResetStat();
        startedAt = System.nanoTime();
    }

    /** Stops the clock, then reads the statistics. */
    void stop() {
        double seconds = (System.nanoTime() - startedAt) / 1e9;
        Map<String, String> all = info("everything");
        double allocated = (double) allocation.bytes() - allocatedBefore;
        totals = new HashMap<>();
        totals.put(Quantity.CPU_USER, MICROS * (number(all, "used_cpu_user") - userBefore));
        totals.put(Quantity.CPU_SYSTEM, MICROS * (number(all, "used_cpu_sys") - systemBefore));
        totals.put(Quantity.COMMANDS, number(all, "total_commands_processed"));
        totals.put(
                Quantity.ROUND_TRIPS,
                calls(all, "evalsha") + calls(all, "eval") + calls(all, "blpop") + calls(all, "bzpopmin"));
        totals.put(Quantity.ALLOCATED, allocated);
        totals.put(Quantity.LONGEST_SCRIPT, Math.max(longest(all, "evalsha"), longest(all, "eval")));
        totals.put(Quantity.COMMANDS_PER_SECOND, number(all, "total_commands_processed") / seconds);
    }

    /** A total between start and stop. */
    double total(Quantity quantity) {
        return totals.getOrDefault(quantity, 0.0);
    }

    /** The totals divided by the number of messages. */
    Map<Quantity, Double> perMessage(long messages) {
        Map<Quantity, Double> values = new HashMap<>();
        for (Quantity quantity : new Quantity[] {
            Quantity.CPU_USER, Quantity.CPU_SYSTEM, Quantity.COMMANDS, Quantity.ROUND_TRIPS, Quantity.ALLOCATED
        }) {
            values.put(quantity, total(quantity) / messages);
        }
        values.put(Quantity.LONGEST_SCRIPT, total(Quantity.LONGEST_SCRIPT));
        return values;
    }

    /** Used memory in bytes without client buffers, whose size varies. */
    double usedMemory() {
        Map<String, String> memory = info("memory");
        return number(memory, "used_memory") - number(memory, "mem_clients_normal");
    }

    private Map<String, String> info(String section) {
        Map<String, String> values = new HashMap<>();
        jedis.info(section).lines().filter(line -> line.contains(":")).forEach(line -> {
            int colon = line.indexOf(':');
            values.put(line.substring(0, colon), line.substring(colon + 1));
        });
        return values;
    }

    private static double number(Map<String, String> info, String name) {
        return Double.parseDouble(info.getOrDefault(name, "0"));
    }

    private static double calls(Map<String, String> info, String command) {
        String statistics = info.getOrDefault("cmdstat_" + command, "calls=0,");
        return Double.parseDouble(statistics.substring("calls=".length(), statistics.indexOf(',')));
    }

    private static double longest(Map<String, String> info, String command) {
        String percentiles = info.getOrDefault("latency_percentiles_usec_" + command, "p100=0");
        return Double.parseDouble(percentiles.substring(percentiles.lastIndexOf('=') + 1)) / MICROS_PER_MILLI;
    }

    @Override
    public void close() {
        jedis.close();
    }
}
