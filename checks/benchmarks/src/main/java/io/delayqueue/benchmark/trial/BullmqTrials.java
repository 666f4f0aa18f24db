package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.result.Quantity;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Runs the measurements of the queues with BullMQ in Node.js, which sends and handles the messages itself. Where the
 * queues use threads, it uses as many concurrent asynchronous functions.
 */
public final class BullmqTrials implements AutoCloseable {

    /** The directory into which BullMQ is installed, with the driver. */
    public static final Path DIRECTORY = Path.of("target", "bullmq");

    /** The driver, a resource of this class and a file of the directory. */
    public static final String DRIVER = "bullmq.mjs";

    private static final int PER_MILLI = 500;
    private static final int WARM_UP_PARTS = 4;
    private static final int MARGIN_MILLIS = 500;

    private final TrialSpec spec;
    private final BullmqProcess bullmq;
    private final RedisMeter meter;

    BullmqTrials(TrialSpec spec) {
        this.spec = spec;
        this.bullmq = new BullmqProcess(DIRECTORY.resolve(DRIVER), spec.port());
        this.meter = new RedisMeter(spec.port());
    }

    Map<Quantity, Double> send(int batch) {
        int senders = spec.measure().senders();
        long now = System.currentTimeMillis();
        long dueAt = now + SendTrials.DELAY.toMillis();
        Map<String, Double> cold = send(
                spec.messages(), batch, senders, dueAt, 0, now + spec.warmUp().toMillis());
        meter.start();
        Map<String, Double> sent = send(spec.messages(), batch, senders, dueAt, 0, 0);
        meter.stop();
        Map<Quantity, Double> values = results(sent);
        if (batch == 1 && spec.warmUp().toMillis() >= 1_000) {
            values.put(Quantity.FIRST_SECOND, cold.getOrDefault("firstSecond", 0.0));
        }
        return values;
    }

    private Map<String, Double> send(int count, int batch, int senders, long dueAt, int perMilli, long until) {
        return bullmq.run(
                "send",
                Map.of(
                        "count", count,
                        "batch", batch,
                        "senders", senders,
                        "dueAt", dueAt,
                        "perMilli", perMilli,
                        "until", until));
    }

    Map<Quantity, Double> schedule() {
        double before = meter.usedMemory();
        long now = System.currentTimeMillis();
        bullmq.run(
                "schedule",
                Map.of(
                        "count",
                        spec.messages(),
                        "batch",
                        SendTrials.BATCH,
                        "soonest",
                        now + SendTrials.SOONEST.toMillis(),
                        "latest",
                        now + SendTrials.LATEST.toMillis()));
        Until.passed(TrialSpec.SETTLING);
        double bytes = (meter.usedMemory() - before) / spec.messages();
        return Map.of(Quantity.MESSAGES, (double) spec.messages(), Quantity.BYTES, bytes);
    }

    /** Like {@link DrainTrials}: all messages are sent before they are due. */
    Map<Quantity, Double> drain() {
        int part = spec.messages() / WARM_UP_PARTS;
        double filling = 0;
        for (double nanos = 0; nanos <= spec.warmUp().toNanos(); ) {
            long now = System.currentTimeMillis();
            filling = send(part, SendTrials.BATCH, 1, now, 0, 0).getOrDefault("nanos", 0.0);
            nanos += consume(part, now).getOrDefault("nanos", 0.0);
        }
        double allowedMillis = 2 * WARM_UP_PARTS * filling / 1e6 + 2 * MARGIN_MILLIS;
        while (true) {
            long dueAt = System.currentTimeMillis() + (long) allowedMillis;
            send(spec.messages(), SendTrials.BATCH, 1, dueAt, PER_MILLI, 0);
            boolean valid = System.currentTimeMillis() + MARGIN_MILLIS < dueAt;
            meter.start();
            Map<String, Double> consumed = consume(spec.messages(), dueAt);
            meter.stop();
            if (valid) {
                Map<Quantity, Double> values = results(consumed);
                values.putAll(counts(consumed, 0));
                return values;
            }
            allowedMillis *= 2;
        }
    }

    private Map<String, Double> consume(int count, long dueAt) {
        return bullmq.run(
                "consume",
                Map.of(
                        "count", count,
                        "concurrency", spec.measure().concurrency(),
                        "dueAt", dueAt,
                        "perMilli", PER_MILLI));
    }

    /**
     * Like {@link LatenessTrial}.
     *
     * @param step the warm-up and the number of messages
     */
    Map<Quantity, Double> lateness(TrialSpec step, int rate) {
        int batch = rate / LatenessTrial.BATCHES_PER_SECOND;
        int warmUp = batch * (int) step.warmUp().toMillis();
        bullmq.start(
                "lateness",
                Map.of(
                        "first",
                        System.currentTimeMillis() + MARGIN_MILLIS,
                        "batch",
                        batch,
                        "senders",
                        batch == 1 ? 1 : LatenessTrial.SENDERS,
                        "concurrency",
                        spec.measure().concurrency(),
                        "warmUp",
                        warmUp,
                        "count",
                        step.messages()));
        bullmq.result();
        meter.start();
        Map<String, Double> handled = bullmq.result();
        meter.stop();
        Map<Quantity, Double> values = perMessage(step.messages());
        values.putAll(counts(handled, warmUp));
        values.put(Quantity.P50, handled.getOrDefault("p50", Double.NaN));
        values.put(Quantity.P99, handled.getOrDefault("p99", Double.NaN));
        values.put(Quantity.P999, handled.getOrDefault("p999", Double.NaN));
        values.put(Quantity.MAX, handled.getOrDefault("max", Double.NaN));
        return values;
    }

    private static Map<Quantity, Double> counts(Map<String, Double> handled, int warmUp) {
        return Map.of(
                Quantity.MESSAGES, handled.getOrDefault("distinct", 0.0) - warmUp,
                Quantity.TWICE, handled.getOrDefault("twice", 0.0),
                Quantity.EARLY, handled.getOrDefault("early", 0.0));
    }

    private Map<Quantity, Double> results(Map<String, Double> result) {
        Map<Quantity, Double> values = perMessage(spec.messages());
        values.put(Quantity.MESSAGES, (double) spec.messages());
        values.put(Quantity.RATE, spec.messages() * 1e9 / result.getOrDefault("nanos", Double.NaN));
        return values;
    }

    /** What Redis counted. The memory that this JVM allocated is not that of Node.js. */
    private Map<Quantity, Double> perMessage(int messages) {
        Map<Quantity, Double> values = new HashMap<>(meter.perMessage(messages));
        values.remove(Quantity.ALLOCATED);
        return values;
    }

    @Override
    public void close() {
        bullmq.close();
        meter.close();
    }
}
