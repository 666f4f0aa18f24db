package io.delayqueue.container;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** The monotonic clock, which a test can move. */
public final class MovableTime implements LongSupplier {

    private final AtomicLong ahead = new AtomicLong();

    public void jump(Duration time) {
        ahead.addAndGet(time.toNanos());
    }

    @Override
    public long getAsLong() {
        return System.nanoTime() + ahead.get();
    }
}
