package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Contender;
import io.delayqueue.benchmark.contender.Contender.Item;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Measures the lateness while messages with delays of 0.5 to 3 s are sent at a steady rate: one message each millisecond
 * from one thread, or one batch each millisecond, from four threads in turn. A sender that falls behind does not skip
 * messages, so its backlog counts as lateness.
 */
final class LatenessTrial implements AutoCloseable {

    static final int BATCHES_PER_SECOND = 1_000;
    static final int SENDERS = 4;
    private static final int SOONEST_MILLIS = 500;
    private static final int LATEST_MILLIS = 3_000;
    private static final int SEED = 42;

    private final TrialSpec spec;
    private final Contender contender;
    private final int batch;
    private final int warmUp;
    private final RedisMeter meter;

    /**
     * Creates a trial.
     *
     * @param rate messages per second, a multiple of 1,000; a thousandth of it divides the number of messages
     */
    LatenessTrial(TrialSpec spec, Contender contender, int rate) {
        this.spec = spec;
        this.contender = contender;
        this.batch = rate / BATCHES_PER_SECOND;
        this.warmUp = batch * (int) spec.warmUp().toMillis();
        this.meter = new RedisMeter(spec.port());
    }

    Map<Quantity, Double> run() {
        return results(play());
    }

    Tally play() {
        int count = warmUp + spec.messages();
        long[] dues = new long[count];
        SplittableRandom random = new SplittableRandom(SEED);
        Instant first = Instant.now().plusMillis(SOONEST_MILLIS);
        for (int i = 0; i < count; i++) {
            dues[i] = first.toEpochMilli() + i / batch + random.nextInt(SOONEST_MILLIS, LATEST_MILLIS);
        }
        Tally tally = new Tally(dues);
        contender.consume(tally::handled);
        try (Crew crew = new Crew(batch == 1 ? 1 : SENDERS)) {
            crew.run(part -> send(first, dues, 0, warmUp, part, crew.size()));
            meter.start();
            crew.run(part -> send(first, dues, warmUp, count, part, crew.size()));
        }
        Until.met(count + " messages were settled", () -> contender.settled() >= count);
        meter.stop();
        contender.stop();
        return tally;
    }

    /** Sends every {@code step}th batch of a range of messages, each in its millisecond. */
    private void send(Instant first, long[] dues, int from, int to, int part, int step) {
        for (int i = from + part * batch; i < to; i += step * batch) {
            Until.reached(first.plusMillis(i / batch));
            List<Item> items = Payloads.items(i, batch, index -> Instant.ofEpochMilli(dues[index]));
            if (batch == 1) {
                contender.send(items.get(0));
            } else {
                contender.sendAll(items);
            }
        }
    }

    Map<Quantity, Double> results(Tally tally) {
        Map<Quantity, Double> values = new HashMap<>(meter.perMessage(spec.messages()));
        if (spec.party() == Party.PRODUCT && batch == 1) { // then each message is sent in a call of its own
            values.put(Quantity.POLLS, meter.total(Quantity.ROUND_TRIPS) / spec.messages() - 1);
        }
        double[] sorted = tally.sorted(warmUp);
        values.put(Quantity.P50, Tally.percentile(sorted, 0.5));
        values.put(Quantity.P99, Tally.percentile(sorted, 0.99));
        values.put(Quantity.P999, Tally.percentile(sorted, 0.999));
        values.put(Quantity.MAX, sorted[sorted.length - 1]);
        values.put(Quantity.MESSAGES, (double) tally.distinct() - warmUp);
        values.put(Quantity.TWICE, (double) tally.twice());
        values.put(Quantity.EARLY, (double) tally.early());
        return values;
    }

    @Override
    public void close() {
        meter.close();
    }
}
