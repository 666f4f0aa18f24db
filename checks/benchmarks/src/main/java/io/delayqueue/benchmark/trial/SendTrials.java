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
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/** Measures sends of messages that are due in half an hour. */
final class SendTrials implements AutoCloseable {

    static final Duration DELAY = Duration.ofMinutes(30);
    static final int BATCH = 500;

    private static final Duration SECOND = Duration.ofSeconds(1);
    static final Duration SOONEST = Duration.ofDays(1);
    static final Duration LATEST = Duration.ofDays(30);

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

    /** Measures single sends, and the number of them in the first second. */
    Map<Quantity, Double> send() {
        return run(1);
    }

    Map<Quantity, Double> sendAll() {
        return run(BATCH);
    }

    private Map<Quantity, Double> run(int batch) {
        int threads = spec.measure().senders();
        Instant dueAt = Instant.now().plus(DELAY);
        List<Item> items = Payloads.items(spec.messages(), i -> dueAt);
        LongAdder firstSecond = new LongAdder();
        try (Crew crew = new Crew(threads)) {
            long started = System.nanoTime();
            crew.run(part -> {
                while (!passed(started, spec.warmUp())) {
                    send(items, part, threads, batch, () -> {
                        firstSecond.add(passed(started, SECOND) ? 0 : batch);
                        return !passed(started, spec.warmUp());
                    });
                    contender.discard();
                }
            });
            meter.start();
            long nanos = crew.run(part -> send(items, part, threads, batch, () -> true));
            meter.stop();
            Map<Quantity, Double> values = results(nanos);
            if (batch == 1 && spec.warmUp().compareTo(SECOND) >= 0) {
                values.put(Quantity.FIRST_SECOND, firstSecond.doubleValue());
            }
            return values;
        }
    }

    private static boolean passed(long started, Duration time) {
        return System.nanoTime() - started > time.toNanos();
    }

    /** Sends every {@code step}th batch while a condition holds, which is checked after each batch. */
    private void send(List<Item> items, int first, int step, int batch, BooleanSupplier goesOn) {
        for (int i = first * batch; i < items.size(); i += step * batch) {
            if (batch == 1) {
                contender.send(items.get(i));
            } else {
                contender.sendAll(items.subList(i, Math.min(i + batch, items.size())));
            }
            if (!goesOn.getAsBoolean()) {
                return;
            }
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
