package io.delayqueue.benchmark.trial;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Handlers that sleep, with the time they took and the threads they ran on. Thread-safe. */
final class Handlers {

    private final long sleepNanos;
    private final LongAdder busyNanos = new LongAdder();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    Handlers(int sleepMillis) {
        this.sleepNanos = TimeUnit.MILLISECONDS.toNanos(sleepMillis);
    }

    void handle(String payload) {
        if (sleepNanos == 0) {
            return;
        }
        long started = System.nanoTime();
        threads.add(Thread.currentThread());
        long left = sleepNanos;
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = started + sleepNanos - System.nanoTime();
        }
        busyNanos.add(System.nanoTime() - started);
    }

    void reset() {
        busyNanos.reset();
        threads.clear();
    }

    long busyNanos() {
        return busyNanos.sum();
    }

    int threads() {
        return threads.size();
    }
}
