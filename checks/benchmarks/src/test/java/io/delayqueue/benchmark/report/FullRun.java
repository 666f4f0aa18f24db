package io.delayqueue.benchmark.report;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.benchmark.result.Run;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Sample run of three rounds, with numbers of a machine with two cores. */
final class FullRun {

    private static final List<Long> COUNTS = List.of(0L, 10_000L, 100_000L, 1_000_000L, 5_000_000L);
    private static final List<Party> BESIDE_EACH_OTHER =
            List.of(Party.PRODUCT, Party.FLOOR_LETTUCE, Party.FLOOR_JEDIS, Party.REDISSON);
    private static final double[] NOISE = {0.96, 1, 1.03};

    private final RunBuilder run = new RunBuilder();

    private FullRun() {}

    static Run of() {
        FullRun full = new FullRun();
        full.run
                .environment("processors", "2")
                .environment("memory", "8 GB")
                .environment("JVM", "17.0.15+6 (Debian)")
                .environment("JVM arguments", "-Xmx1g | -XX:+UseG1GC")
                .environment("Server", "Redis 8.2.1, appendonly no");
        full.rates();
        full.lateness();
        full.others();
        return full.run.build();
    }

    private void rates() {
        for (int index = 0; index < COUNTS.size(); index++) {
            long count = COUNTS.get(index);
            double left = 1 - 0.03 * index;
            everybody(Measure.SEND, count, left, new double[] {27_340, 35_720, 33_400, 9_120}, 7.4);
            everybody(Measure.SEND_ALL_1, count, left, new double[] {142_300, 176_200, 181_900, 41_000}, 2.2);
            everybody(Measure.SEND_ALL_8, count, left, new double[] {241_000, 262_000, 255_400, 63_500}, 2.1);
            everybody(Measure.DRAIN, count, left, new double[] {58_200, 81_300, 77_900, 11_400}, 5.3);
        }
        for (int round = 1; round <= NOISE.length; round++) {
            Map<Quantity, Double> values = Map.of(Quantity.RATE, 2_913_000 * NOISE[round - 1]);
            run.sample(Measure.SEND, Party.JAVA, 0, round, values);
            run.sample(Measure.DRAIN, Party.JAVA, 0, round, values);
        }
    }

    private void everybody(Measure measure, long count, double left, double[] rates, double cpu) {
        for (int index = 0; index < rates.length; index++) {
            Party party = BESIDE_EACH_OTHER.get(index);
            // omitted: the other parties take hours
            if (party == Party.REDISSON && count > 100_000) {
                continue;
            }
            for (int round = 1; round <= NOISE.length; round++) {
                double part = NOISE[round - 1] * (party.isFloor() ? (1 + left) / 2 : left);
                Map<Quantity, Double> values = new EnumMap<>(Quantity.class);
                values.put(Quantity.MESSAGES, 200_000.0);
                values.put(Quantity.RATE, rates[index] * part);
                values.put(Quantity.CPU_USER, cpu * (1 + index * 0.08));
                values.put(Quantity.CPU_SYSTEM, cpu * 0.4 * NOISE[round - 1]);
                values.put(Quantity.COMMANDS, 4.02 + index);
                values.put(Quantity.ROUND_TRIPS, 0.032 * (index + 1));
                values.put(Quantity.ALLOCATED, 1_834.4 * (index + 1));
                run.sample(measure, party, count, round, values);
            }
        }
    }

    private void lateness() {
        for (long count : List.of(0L, 1_000_000L)) {
            lateness(Party.PRODUCT, count, 0.31, 1.9, 4.8, 12.1);
            if (count == 0) {
                lateness(Party.REDISSON, count, 1.8, 102.4, 180, 231);
                lateness(Party.JAVA, count, 0.07, 0.14, 0.9, 3.3);
            }
        }
    }

    private void lateness(Party party, long count, double p50, double p99, double p999, double max) {
        for (int round = 1; round <= NOISE.length; round++) {
            double noise = NOISE[round - 1];
            Map<Quantity, Double> values = new EnumMap<>(Quantity.class);
            values.put(Quantity.MESSAGES, 60_000.0);
            values.put(Quantity.P50, p50 * noise);
            values.put(Quantity.P99, p99 * noise);
            values.put(Quantity.P999, p999 * noise);
            values.put(Quantity.MAX, max * noise);
            values.put(Quantity.EARLY, 0.0);
            values.put(Quantity.TWICE, 0.0);
            values.put(Quantity.LEFT, 0.0);
            run.sample(Measure.LATENESS, party, count, round, values);
        }
    }

    private void others() {
        run.product(Measure.IDLE, Quantity.COMMANDS_PER_SECOND, 12.4, 12.1, 12.9)
                .rounds(Measure.IDLE, Party.REDISSON, 0, Quantity.COMMANDS_PER_SECOND, 61, 60.2, 60.9)
                .rounds(Measure.MEMORY, Party.PRODUCT, 1_000_000, Quantity.BYTES, 402.3, 402.3, 402.5)
                .rounds(Measure.MEMORY, Party.PRODUCT, 5_000_000, Quantity.BYTES, 455.1, 455.2, 455.1)
                .rounds(Measure.MEMORY, Party.REDISSON, 1_000_000, Quantity.BYTES, 371, 371.2, 371.1)
                .product(Measure.BURST, Quantity.RATE, 51_000, 49_800, 50_400)
                .product(Measure.BURST, Quantity.LONGEST_SCRIPT, 3.1, 2.9, 11.2);
    }
}
