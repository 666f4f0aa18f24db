package io.delayqueue.container.delivery;

import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
import io.delayqueue.store.MessageStore;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Has a notice left of each death while somebody consumes the lane of deaths. Said again each minute, since Redis may
 * have been flushed or restored. Belongs to the step.
 */
final class Attendance {

    private static final long AGAIN = Duration.ofMinutes(1).toNanos();

    private final Shard shard;
    private final MessageStore store;
    private final LongSupplier nanoTime;
    private boolean attended;
    private long attendedAt;

    Attendance(Shard shard, MessageStore store, LongSupplier nanoTime) {
        this.shard = shard;
        this.store = store;
        this.nanoTime = nanoTime;
    }

    /**
     * Says it if it is time to.
     *
     * @return whether there is nothing to wait for
     */
    boolean renew(Patience patience) {
        boolean due = shard.lane() == Lane.DEATHS && (!attended || nanoTime.getAsLong() - attendedAt > AGAIN);
        if (due) {
            if (patience.answer(() -> store.attendDeathsAsync(shard).thenApply(nothing -> Boolean.TRUE)) == null) {
                return false;
            }
            attended = true;
            attendedAt = nanoTime.getAsLong();
        }
        return true;
    }
}
