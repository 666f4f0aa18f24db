package io.delayqueue.benchmark.trial;

import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/** Records which messages were handled and their lateness. Thread-safe. */
final class Tally {

    private static final double NANOS_PER_MILLI = 1e6;

    private final Clock clock = Clock.systemUTC();
    private final long[] dueMillis;
    private final double[] lateMillis;
    private final AtomicIntegerArray times;
    private final LongAdder handled = new LongAdder();

    /** Creates a tally of numbered messages. */
    Tally(long[] dueMillis) {
        this.dueMillis = dueMillis;
        this.lateMillis = new double[dueMillis.length];
        this.times = new AtomicIntegerArray(dueMillis.length);
    }

    /** The due time of the first message, which has the lowest number. */
    Instant firstDue() {
        return Instant.ofEpochMilli(dueMillis[0]);
    }

    /** The due time of a message in milliseconds since 1970. */
    long due(int index) {
        return dueMillis[index];
    }

    /** The lateness of a message in milliseconds. */
    double late(int index) {
        return lateMillis[index];
    }

    void handled(String payload) {
        Instant now = clock.instant();
        int index = Payloads.indexOf(payload);
        lateMillis[index] = (now.getEpochSecond() * 1000.0 - dueMillis[index]) + now.getNano() / NANOS_PER_MILLI;
        times.incrementAndGet(index);
        handled.increment();
    }

    long handled() {
        return handled.sum();
    }

    /** Messages that were handled at least once. */
    long distinct() {
        return count(1);
    }

    /** Messages that were handled more than once. */
    long twice() {
        return count(2);
    }

    private long count(int least) {
        long count = 0;
        for (int i = 0; i < times.length(); i++) {
            count += times.get(i) >= least ? 1 : 0;
        }
        return count;
    }

    /** Messages that were handled before they were due. Redis runs on the same machine and uses the same clock. */
    long early() {
        return Arrays.stream(lateMillis).filter(late -> late < 0).count();
    }

    /** Sorted lateness in milliseconds of the messages from a number on. */
    double[] sorted(int from) {
        double[] sorted = Arrays.copyOfRange(lateMillis, from, lateMillis.length);
        Arrays.sort(sorted);
        return sorted;
    }

    static double percentile(double[] sorted, double share) {
        return sorted[(int) Math.min(sorted.length - 1L, Math.round(Math.ceil(share * sorted.length)) - 1)];
    }
}
