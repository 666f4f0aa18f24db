package io.delayqueue.redis.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.server.ServerState.AppendOnly;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Reads version, settings and clock of the queue's Redis server. It runs a script, so that a reply also shows that
 * scripts run. In a Cluster it reads the master that holds the hash of topics. Thread-safe.
 *
 * <p>The script uses {@code INFO} instead of {@code CONFIG}, because managed servers forbid {@code CONFIG}. Without
 * permission for {@code INFO} the values are unknown.
 */
public final class ServerProbe {

    private static final LuaScript PROBE = LuaScript.beside(ServerProbe.class, "probe");

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final InstantSource clock;
    private final LongSupplier nanoTime;

    /**
     * Creates a probe for the Redis server of one namespace.
     *
     * @param clock clock of this process, to which the server's clock is compared
     * @param nanoTime monotonic clock in nanoseconds
     */
    public ServerProbe(ScriptRunner scripts, KeySpace keySpace, InstantSource clock, LongSupplier nanoTime) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    /**
     * Reads the state of the server without blocking, not even to connect.
     *
     * @return the state; fails with a {@link io.delayqueue.redis.RedisCallException} if there is no reply
     */
    public CompletableFuture<ServerState> probe() {
        long start = nanoTime.getAsLong();
        return scripts.run(new ScriptCall(PROBE, keySpace.topics())).thenApply(reply -> read(reply, start));
    }

    private ServerState read(List<Object> reply, long start) {
        Duration roundTrip = Duration.ofNanos(nanoTime.getAsLong() - start);
        Instant now = Instant.EPOCH.plus(Long.parseLong(text(reply, 0)), ChronoUnit.MICROS);
        Instant here = clock.instant().minus(roundTrip.dividedBy(2));
        String maxMemory = text(reply, 2);
        return new ServerState(
                orUnknown(text(reply, 1)),
                maxMemory.isEmpty() ? -1 : Long.parseLong(maxMemory),
                orUnknown(text(reply, 3)),
                switch (text(reply, 4)) {
                    case "1" -> AppendOnly.ON;
                    case "0" -> AppendOnly.OFF;
                    default -> AppendOnly.UNKNOWN;
                },
                now,
                Duration.between(here, now),
                roundTrip);
    }

    private static String text(List<Object> reply, int index) {
        return new String((byte[]) reply.get(index), UTF_8);
    }

    private static String orUnknown(String text) {
        return text.isEmpty() ? ServerState.UNKNOWN : text;
    }
}
