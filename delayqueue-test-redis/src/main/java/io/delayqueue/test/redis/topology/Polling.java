package io.delayqueue.test.redis.topology;

import io.delayqueue.test.redis.RedisErrorException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Polls servers until they agree on a state. */
final class Polling {

    /** Reply timeout of a single server. */
    static final Duration REPLY_TIMEOUT = Duration.ofSeconds(1);

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private Polling() {}

    /**
     * Repeats a check until it finds no problem.
     *
     * @param goal the awaited state, for the message
     * @param check returns the problem, or {@code null} if there is none; an error reply or a missing reply of a server
     *     also counts as a problem
     * @throws IllegalStateException if there is still a problem after a minute, or the thread is interrupted
     */
    static void await(String goal, Supplier<@Nullable String> check) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        for (String problem = problem(check); problem != null; problem = problem(check)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        "%s: not within %s seconds, because %s".formatted(goal, TIMEOUT.toSeconds(), problem));
            }
            pause(goal);
        }
    }

    private static @Nullable String problem(Supplier<@Nullable String> check) {
        try {
            return check.get();
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
