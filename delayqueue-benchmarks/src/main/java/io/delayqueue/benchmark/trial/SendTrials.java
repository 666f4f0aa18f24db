package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Contender;
import io.delayqueue.benchmark.contender.Contender.Item;
import io.delayqueue.benchmark.result.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Measures sends of messages that are due in half an hour. */
final class SendTrials implements AutoCloseable {

    static final Duration DELAY = Duration.ofMinutes(30);
    static final int BATCH = 500;

    /** Number of threads that send concurrently. */
    static final int THREADS = 8;

    private static final Duration SOONEST = Duration.ofDays(1);
    private static final Duration LATEST = Duration.ofDays(30);

    private final TrialSpec spec;
    private final Contender contender;
    private final RedisMeter meter;
    private final Remains remains;

    SendTrials(TrialSpec spec, Contender contender) {
        this.spec = spec;
        this.contender = contender;
        this.meter = new RedisMeter(spec.port());
        this.remains = new Remains(spec.port(), spec.scheduled());
    }

    Map<Quantity, Double> send() {
        Instant dueAt = Instant.now().plus(DELAY);
        List<Item> warmUp = Payloads.items(spec.warmUp(), i -> dueAt);
        List<Item> items = Payloads.items(spec.messages(), i -> dueAt);
        try (Crew crew = new Crew(THREADS)) {
            long ignored = crew.run(part -> sendEvery(warmUp, part, crew.size()));
            meter.start();
            long nanos = crew.run(part -> sendEvery(items, part, crew.size()));
            meter.stop();
            return results(nanos);
        }
    }

    private void sendEvery(List<Item> items, int first, int step) {
        for (int i = first; i < items.size(); i += step) {
            contender.send(items.get(i));
        }
    }

    Map<Quantity, Double> sendAll(int threads) {
        Instant dueAt = Instant.now().plus(DELAY);
        List<Item> warmUp = Payloads.items(spec.warmUp(), i -> dueAt);
        List<Item> items = Payloads.items(spec.messages(), i -> dueAt);
        try (Crew crew = new Crew(threads)) {
            long ignored = crew.run(part -> sendBatches(warmUp, part, threads));
            meter.start();
            long nanos = crew.run(part -> sendBatches(items, part, threads));
            meter.stop();
            return results(nanos);
        }
    }

    private void sendBatches(List<Item> items, int first, int step) {
        for (int i = first * BATCH; i < items.size(); i += step * BATCH) {
            contender.sendAll(items.subList(i, Math.min(i + BATCH, items.size())));
        }
    }

    private Map<Quantity, Double> results(long nanos) {
        Map<Quantity, Double> values = new HashMap<>(meter.perMessage(spec.messages()));
        values.put(Quantity.MESSAGES, (double) spec.messages());
        values.put(Quantity.RATE, spec.messages() * 1e9 / nanos);
        if (spec.scheduled() > 0) { // otherwise the next trial starts with an empty Redis
            remains.removeUntil(Instant.now().plus(DELAY.multipliedBy(2)));
        }
        return values;
    }

    /** Schedules messages for later days and leaves them in the topic. */
    Map<Quantity, Double> schedule() {
        SplittableRandom random = new SplittableRandom(spec.messages());
        Instant soonest = Instant.now().plus(SOONEST);
        double before = meter.usedMemory();
        for (int sent = 0; sent < spec.messages(); sent += BATCH) {
            contender.sendAll(Payloads.items(
                    Math.min(BATCH, spec.messages() - sent),
                    i -> soonest.plusMillis(
                            random.nextLong(LATEST.minus(SOONEST).toMillis()))));
        }
        Until.passed(TrialSpec.SETTLING); // Redis releases the memory of grown client buffers after some seconds
        double bytes = (meter.usedMemory() - before) / spec.messages();
        return Map.of(Quantity.MESSAGES, (double) spec.messages(), Quantity.BYTES, bytes);
    }

    @Override
    public void close() {
        meter.close();
        remains.close();
    }
}
