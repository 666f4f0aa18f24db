package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Contender;
import io.delayqueue.benchmark.contender.Contender.Item;
import io.delayqueue.benchmark.result.Quantity;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Measures the lateness while one thread sends 1,000 messages per second with delays of 0.5 to 3 s. */
final class LatenessTrial implements AutoCloseable {

    private static final int PER_SECOND = 1_000;
    private static final int SOONEST_MILLIS = 500;
    private static final int LATEST_MILLIS = 3_000;
    private static final int SEED = 42;

    private final TrialSpec spec;
    private final Contender contender;
    private final RedisMeter meter;

    LatenessTrial(TrialSpec spec, Contender contender) {
        this.spec = spec;
        this.contender = contender;
        this.meter = new RedisMeter(spec.port());
    }

    Map<Quantity, Double> run() {
        int count = spec.warmUp() + spec.messages();
        long[] dues = new long[count];
        SplittableRandom random = new SplittableRandom(SEED);
        Instant first = Instant.now().plusMillis(SOONEST_MILLIS);
        for (int i = 0; i < count; i++) {
            dues[i] = first.toEpochMilli() + i * 1_000L / PER_SECOND + random.nextInt(SOONEST_MILLIS, LATEST_MILLIS);
        }
        Tally tally = new Tally(dues);
        contender.consume(tally::handled);
        Until.reached(first);
        for (int i = 0; i < count; i++) {
            if (i == spec.warmUp()) {
                meter.start();
            }
            Until.reached(first.plusNanos(i * TimeUnit.SECONDS.toNanos(1) / PER_SECOND));
            contender.send(new Item(Payloads.of(i), Instant.ofEpochMilli(dues[i])));
        }
        Until.met(count + " messages were settled", () -> contender.settled() >= count);
        meter.stop();
        contender.stop();
        return results(tally);
    }

    private Map<Quantity, Double> results(Tally tally) {
        Map<Quantity, Double> values = new HashMap<>(meter.perMessage(spec.messages()));
        double[] sorted = tally.sorted(spec.warmUp());
        values.put(Quantity.P50, Tally.percentile(sorted, 0.5));
        values.put(Quantity.P99, Tally.percentile(sorted, 0.99));
        values.put(Quantity.P999, Tally.percentile(sorted, 0.999));
        values.put(Quantity.MAX, sorted[sorted.length - 1]);
        values.put(Quantity.MESSAGES, (double) tally.distinct() - spec.warmUp());
        values.put(Quantity.TWICE, (double) tally.twice());
        values.put(Quantity.EARLY, (double) tally.early());
        return values;
    }

    @Override
    public void close() {
        meter.close();
    }
}
