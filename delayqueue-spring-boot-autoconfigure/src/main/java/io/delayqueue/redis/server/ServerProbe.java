package io.delayqueue.redis.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
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
 * Asks the queue's Redis what it is like: a script, so that the answer also says that scripts are run. In a Cluster it is
 * the master that holds the list of topics. Thread-safe.
 *
 * <p>{@code INFO} is asked, not {@code CONFIG}, which managed servers forbid. What the user may not ask is unknown.
 */
public final class ServerProbe {

    private static final LuaScript PROBE = LuaScript.beside(ServerProbe.class, "probe");

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final InstantSource clock;
    private final LongSupplier nanoTime;

    /**
     * Over the scripts and names of one namespace.
     *
     * @param clock this process' clock, which the server's is compared with
     * @param nanoTime monotonic time, ns
     */
    public ServerProbe(ScriptRunner scripts, KeySpace keySpace, InstantSource clock, LongSupplier nanoTime) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    /**
     * Asks and waits, at most the command time-out.
     *
     * @throws io.delayqueue.redis.RedisCallException if there is no answer
     */
    public ServerState ask() {
        long asked = nanoTime.getAsLong();
        return read(scripts.run(PROBE, 1, keySpace.topics()), asked);
    }

    /**
     * Asks without blocking, not even to connect.
     *
     * @return fails with a {@link io.delayqueue.redis.RedisCallException}
     */
    public CompletableFuture<ServerState> askAsync() {
        long asked = nanoTime.getAsLong();
        return scripts.runAsync(PROBE, 1, keySpace.topics()).thenApply(reply -> read(reply, asked));
    }

    private ServerState read(List<Object> reply, long asked) {
        Duration roundTrip = Duration.ofNanos(nanoTime.getAsLong() - asked);
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
