package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Contender;
import io.delayqueue.benchmark.contender.Contender.Item;
import io.delayqueue.benchmark.result.Quantity;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures how long asynchronous sends take at a steady rate: a number of single messages each millisecond, from four
 * threads in turn. A sender that falls behind does not skip messages, so its backlog counts, and so do sends that fail. The messages are due in
 * half an hour, and nothing consumes them.
 */
final class AsyncSendTrial implements AutoCloseable {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final int MILLIS_PER_SECOND = 1_000;
    private static final int SENDERS = 4;
    private static final int MARGIN_MILLIS = 100;

    private final TrialSpec spec;
    private final Contender contender;
    private final int perMilli;
    private final int warmUp;
    private final RedisMeter meter;
    private final Remains remains;
    private final LongAdder completed = new LongAdder();
    private final LongAdder failed = new LongAdder();

    /**
     * Creates a trial.
     *
     * @param rate messages per second, a multiple of 1,000; a thousandth of it divides the number of messages
     */
    AsyncSendTrial(TrialSpec spec, Contender contender, int rate) {
        this.spec = spec;
        this.contender = contender;
        this.perMilli = rate / MILLIS_PER_SECOND;
        this.warmUp = perMilli * (int) spec.warmUp().toMillis();
        this.meter = new RedisMeter(spec.port());
        this.remains = new Remains(spec.port(), spec.scheduled());
    }

    Map<Quantity, Double> run() {
        int count = warmUp + spec.messages();
        double[] completions = new double[count]; // in ms after the first message was to be sent
        Instant first = Instant.now().plusMillis(MARGIN_MILLIS);
        long firstNanos = System.nanoTime() + (long) (MARGIN_MILLIS * NANOS_PER_MILLI);
        try (Crew crew = new Crew(SENDERS)) {
            crew.run(part -> send(first, firstNanos, completions, 0, warmUp, part));
            meter.start();
            crew.run(part -> send(first, firstNanos, completions, warmUp, count, part));
            Until.met(count + " sends completed", () -> completed.sum() >= count);
            meter.stop();
        }
        remains.removeUntil(Instant.now().plus(SendTrials.DELAY.multipliedBy(2)));
        return results(completions);
    }

    private void send(Instant first, long firstNanos, double[] completions, int from, int to, int part) {
        Instant dueAt = first.plus(SendTrials.DELAY);
        for (int i = from + part * perMilli; i < to; i += SENDERS * perMilli) {
            Until.reached(first.plusMillis(slot(i)));
            for (int message = i; message < i + perMilli; message++) {
                int index = message;
                contender.sendAsync(new Item(Payloads.of(index), dueAt)).whenComplete((result, failure) -> {
                    completions[index] = (System.nanoTime() - firstNanos) / NANOS_PER_MILLI;
                    failed.add(failure == null ? 0 : 1);
                    completed.increment();
                });
            }
        }
    }

    /** The millisecond in which a message is to be sent, after that of the first one. */
    private int slot(int message) {
        return message / perMilli;
    }

    private Map<Quantity, Double> results(double[] completions) {
        double last = Arrays.stream(completions).max().orElseThrow();
        double[] sorted = new double[spec.messages()];
        Arrays.setAll(sorted, i -> completions[warmUp + i] - slot(warmUp + i));
        Arrays.sort(sorted);
        Map<Quantity, Double> values = new HashMap<>(meter.perMessage(spec.messages()));
        values.put(Quantity.MESSAGES, (double) spec.messages());
        values.put(Quantity.FAILED, failed.doubleValue());
        values.put(Quantity.RATE, spec.messages() * (double) MILLIS_PER_SECOND / (last - slot(warmUp)));
        values.put(Quantity.COMPLETION_P50, Tally.percentile(sorted, 0.5));
        values.put(Quantity.COMPLETION_P99, Tally.percentile(sorted, 0.99));
        return values;
    }

    @Override
    public void close() {
        meter.close();
        remains.close();
    }
}
