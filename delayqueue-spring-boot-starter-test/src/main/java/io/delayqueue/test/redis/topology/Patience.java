package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.RedisErrorException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for what servers settle among themselves.
 */
final class Patience {

    /** How long a server may take for one answer while many are asked. */
    static final Duration ANSWER = Duration.ofSeconds(1);

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private Patience() {}

    /**
     * Waits until nothing is in the way.
     *
     * @param goal what is waited for, for the message
     * @param obstacle what is in the way, or {@code null}; a server that answers with an error or not at all is one too
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
