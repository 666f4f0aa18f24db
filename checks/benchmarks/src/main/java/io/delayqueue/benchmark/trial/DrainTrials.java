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
import java.util.function.Consumer;

/**
 * Measures the consumption of many due messages. All messages are sent before they are due, so that a queue that moves
 * due messages in the background does this within the measured time. In a drain, consumers start when the first message
 * is due. The messages become due in the order of their sends, 500,000 per second, because some queues search linearly
 * among messages of the same millisecond. In a burst, all messages are due in the same millisecond and consumers are
 * already waiting. A handler may sleep; then the rate is also compared with that of handlers that never wait for a
 * message.
 */
final class DrainTrials implements AutoCloseable {

    /** Time between the end of sending and the first due message. */
    private static final Duration MARGIN = Duration.ofMillis(500);

    private static final int PER_MILLI = 500;

    /** The warm-up sends and consumes messages in parts of this share of the measured ones. */
    private static final int WARM_UP_PARTS = 4;

    private final TrialSpec spec;
    private final Contender contender;
    private final RedisMeter meter;
    private final Remains remains;
    private final Handlers handlers;

    DrainTrials(TrialSpec spec, Contender contender) {
        this.spec = spec;
        this.contender = contender;
        this.meter = new RedisMeter(spec.port());
        this.remains = new Remains(spec.port(), spec.scheduled());
        this.handlers = new Handlers(spec.measure().handlerMillis());
    }

    Map<Quantity, Double> run() {
        Duration allowed = warmUp().multipliedBy(2L * WARM_UP_PARTS).plus(MARGIN.multipliedBy(2));
        while (true) {
            Tally tally = schedule(Instant.now().plus(allowed));
            if (Instant.now().plus(MARGIN).isBefore(tally.firstDue())) {
                return drain(tally);
            }
            consume(spec.messages());
            allowed = allowed.multipliedBy(2);
        }
    }

    /**
     * Sends messages that are due immediately and consumes them, until consuming has taken the time of the warm-up.
     *
     * @return the duration of the last sends
     */
    private Duration warmUp() {
        long[] dues = new long[spec.messages() / WARM_UP_PARTS];
        Duration filling = Duration.ZERO;
        for (long nanos = 0; nanos <= spec.warmUp().toNanos(); ) {
            Arrays.fill(dues, Instant.now().toEpochMilli());
            filling = fill(dues);
            nanos += consume(dues.length);
        }
        return filling;
    }

    /** Consumes messages without measuring and returns the nanoseconds. */
    private long consume(int count) {
        long started = System.nanoTime();
        contender.consume(handlers::handle);
        Until.met(count + " messages were settled", () -> contender.settled() >= count);
        long nanos = System.nanoTime() - started;
        contender.stop();
        return nanos;
    }

    /** Sends messages and returns the duration. */
    private Duration fill(long[] dues) {
        List<Item> items = Payloads.items(dues.length, i -> Instant.ofEpochMilli(dues[i]));
        long started = System.nanoTime();
        for (int i = 0; i < dues.length; i += SendTrials.BATCH) {
            contender.sendAll(items.subList(i, Math.min(i + SendTrials.BATCH, dues.length)));
        }
        return Duration.ofNanos(System.nanoTime() - started);
    }

    /** Sends all measured messages. The result is only valid if sending ends before the first is due. */
    private Tally schedule(Instant dueAt) {
        long[] dues = new long[spec.messages()];
        Arrays.setAll(dues, i -> dueAt.toEpochMilli() + (waits() ? 0 : i / PER_MILLI));
        fill(dues);
        return new Tally(dues);
    }

    private boolean waits() {
        return spec.measure() == Measure.BURST;
    }

    private Map<Quantity, Double> drain(Tally tally) {
        int count = spec.messages();
        handlers.reset();
        Consumer<String> handler = message -> {
            tally.handled(message);
            handlers.handle(message);
        };
        if (waits()) {
            contender.consume(handler);
        }
        meter.start();
        Until.reached(tally.firstDue());
        long started = System.nanoTime();
        if (!waits()) {
            contender.consume(handler);
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
        if (spec.measure().handlerMillis() > 0) {
            double busySeconds = handlers.busyNanos() / 1e9 / spec.measure().concurrency();
            values.put(Quantity.OF_IDEAL, 100 * busySeconds / (nanos / 1e9));
            if (!spec.measure().onVirtualThreads()) { // each delivery has a virtual thread of its own
                values.put(Quantity.THREADS, (double) handlers.threads());
            }
        }
        values.put(Quantity.MESSAGES, (double) tally.distinct());
        values.put(Quantity.TWICE, (double) tally.twice());
        values.put(Quantity.EARLY, (double) tally.early());
        if (spec.party() == Party.PRODUCT) {
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
