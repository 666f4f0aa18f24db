package io.delayqueue.container;

import static org.awaitility.Awaitility.await;

import io.delayqueue.store.bench.ServerClock;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The monotonic clock, which a test can move. Nodes built with {@link QueueNode.Builder#time} run their tasks by it. */
public final class MovableTime implements LongSupplier {

    private long ahead;
    private final List<MovableTasks> tasks = new CopyOnWriteArrayList<>();
    private final @Nullable ServerClock server;

    public MovableTime() {
        this(null);
    }

    /** Moves the clock of Redis, too. */
    public MovableTime(@Nullable ServerClock server) {
        this.server = server;
    }

    void drives(MovableTasks moved) {
        tasks.add(moved);
    }

    /** Moves the time. The tasks that are then due begin. */
    public void jump(Duration time) {
        move(time);
        tasks.forEach(MovableTasks::moved);
    }

    /** A task that a signal wakes meanwhile waits: it must not see one clock moved and the other not. */
    private synchronized void move(Duration time) {
        ahead += time.toNanos();
        if (server != null) {
            server.advance(time);
        }
    }

    /** Moves the time in steps, and awaits after each one that all tasks that are due have ended. */
    public void pass(Duration time, Duration step) {
        for (long left = time.toNanos(); left > 0; left -= step.toNanos()) {
            jump(Duration.ofNanos(Math.min(left, step.toNanos())));
            awaitTasks();
        }
    }

    /** Lets the time pass until a condition is true. */
    public void passUntil(Duration step, BooleanSupplier condition) {
        await().until(() -> {
            pass(step, step);
            return condition.getAsBoolean();
        });
    }

    /** Waits until no task is due. */
    public void awaitTasks() {
        await().until(() -> tasks.stream().allMatch(MovableTasks::areIdle));
    }

    @Override
    public synchronized long getAsLong() {
        return SystemClock.nanos() + ahead;
    }
}
