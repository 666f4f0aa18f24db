package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Contender;
import io.delayqueue.benchmark.contender.Contender.Item;
import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Many messages that are due at once. All are sent before they are due, so that a queue which moves what is due by itself
 * does that within the measured time, too. Drained, they are consumed from the moment on that the first is due, and
 * become due in the order in which they were sent, half a million a second, for there are queues that search linearly
 * for each of those that are due in the same millisecond. In a burst all are due in one, and consumers wait for them.
 */
final class DrainTrials implements AutoCloseable {

    /** Between the end of sending and what is due first. */
    private static final Duration MARGIN = Duration.ofMillis(500);

    private static final int PER_MILLI = 500;

    private final TrialSpec spec;
    private final Contender contender;
    private final RedisMeter meter;
    private final Remains remains;

    DrainTrials(TrialSpec spec, Contender contender) {
        this.spec = spec;
        this.contender = contender;
        this.meter = new RedisMeter(spec.port());
        this.remains = new Remains(spec.port(), spec.scheduled());
    }

    Map<Quantity, Double> run() {
        Duration filling = warmUp();
        Duration allowed = filling.multipliedBy(2L * spec.messages())
                .dividedBy(spec.warmUp())
                .plus(MARGIN.multipliedBy(2));
        while (true) {
            Tally tally = schedule(Instant.now().plus(allowed));
            if (Instant.now().plus(MARGIN).isBefore(tally.firstDue())) {
                return drain(tally);
            }
            consume(spec.messages());
            allowed = allowed.multipliedBy(2);
        }
    }

    /** Sends what is due at once, consumes it, and tells how long the sending took. */
    private Duration warmUp() {
        long[] dues = new long[spec.warmUp()];
        Arrays.fill(dues, Instant.now().toEpochMilli());
        Duration filling = fill(dues);
        consume(spec.warmUp());
        return filling;
    }

    /** Consumes what nobody measures. */
    private void consume(int count) {
        contender.consume(message -> {});
        Until.met(count + " messages were settled", () -> contender.settled() >= count);
        contender.stop();
    }

    /** Sends messages and tells how long that took. */
    private Duration fill(long[] dues) {
        List<Item> items = Payloads.items(dues.length, i -> Instant.ofEpochMilli(dues[i]));
        long started = System.nanoTime();
        for (int i = 0; i < dues.length; i += SendTrials.BATCH) {
            contender.sendAll(items.subList(i, Math.min(i + SendTrials.BATCH, dues.length)));
        }
        return Duration.ofNanos(System.nanoTime() - started);
    }

    /** Sends all that is measured, which is of no use if it becomes due before the sending has ended. */
    private Tally schedule(Instant dueAt) {
        long[] dues = new long[spec.messages()];
        Arrays.setAll(dues, i -> dueAt.toEpochMilli() + (waits() ? 0 : i / PER_MILLI));
        Duration ignored = fill(dues);
        return new Tally(dues);
    }

    private boolean waits() {
        return spec.measure() == Measure.BURST;
    }

    private Map<Quantity, Double> drain(Tally tally) {
        int count = spec.messages();
        if (waits()) {
            contender.consume(tally::handled);
        }
        meter.start();
        Until.reached(tally.firstDue());
        long started = System.nanoTime();
        if (!waits()) {
            contender.consume(tally::handled);
        }
        Until.met(count + " messages were settled", () -> contender.settled() >= count);
        long nanos = System.nanoTime() - started;
        meter.stop();
        contender.stop();
        return results(count, nanos, tally);
    }

    private Map<Quantity, Double> results(int count, long nanos, Tally tally) {
        Map<Quantity, Double> values = new HashMap<>(meter.perMessage(count));
        values.put(Quantity.RATE, count * 1e9 / nanos);
        values.put(Quantity.MESSAGES, (double) tally.distinct());
        values.put(Quantity.TWICE, (double) tally.twice());
        values.put(Quantity.EARLY, (double) tally.early());
        if (spec.party() == Party.PRODUCT || spec.party() == Party.PRODUCT_ON_JEDIS) {
            values.put(Quantity.LEFT, (double) remains.count());
        }
        return values;
    }

    @Override
    public void close() {
        meter.close();
        remains.close();
    }
}
