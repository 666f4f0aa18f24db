package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.RedisErrorException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits for servers to agree on a state. */
final class Timeouts {

    /** Reply timeout of a single server. */
    static final Duration REPLY = Duration.ofSeconds(1);

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private Timeouts() {}

    /**
     * Waits until a check finds no obstacle.
     *
     * @param goal the awaited state, for the message
     * @param obstacle returns the obstacle, or {@code null} if there is none; an error reply or a missing reply of a
     *     server also counts as an obstacle
     * @throws IllegalStateException if there is still an obstacle after a minute, or the thread is interrupted
     */
    static void await(String goal, Supplier<@Nullable String> obstacle) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        for (String reason = look(obstacle); reason != null; reason = look(obstacle)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        "%s: not within %d seconds, because %s".formatted(goal, LIMIT.toSeconds(), reason));
            }
            pause(goal);
        }
    }

    private static @Nullable String look(Supplier<@Nullable String> obstacle) {
        try {
            return obstacle.get();
        } catch (UncheckedIOException | RedisErrorException ex) {
            return String.valueOf(ex.getMessage());
        }
    }

    private static void pause(String goal) {
        try {
            new CountDownLatch(1).await(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for " + goal, ex);
        }
    }
}
