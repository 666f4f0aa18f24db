package io.delayqueue.redis.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Completions;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads version, settings, memory, replication and clock of the queue's Redis servers, and whether they refuse writes. It
 * runs a script, so that a reply also shows that scripts run. Thread-safe.
 *
 * <p>The script uses {@code INFO} instead of {@code CONFIG}, because managed servers forbid {@code CONFIG}. Without
 * permission for {@code INFO} the values are unknown.
 */
public final class ServerProbe {

    private static final LuaScript PROBE = LuaScript.beside(ServerProbe.class, "probe");

    /** How the errors begin with which a server refuses writes. */
    private static final List<String> REFUSALS = List.of("NOREPLICAS ", "OOM ", "READONLY ", "MISCONF ");

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
     * Reads the state of the server without blocking, not even to connect; in a Cluster, of the master that holds the hash
     * of topics.
     *
     * @return the state; fails with a {@link io.delayqueue.redis.RedisCallException} if there is no reply
     */
    public CompletableFuture<ServerState> probe() {
        return probe("", true, keySpace.topicsProbe());
    }

    /**
     * Reads the state of the server, or of each master of a Cluster, without blocking.
     *
     * @return the state of each server that replies
     */
    public CompletableFuture<List<ServerState>> probeAll() {
        List<ScriptRunner.Master> masters = scripts.masters();
        return Completions.all((masters.isEmpty()
                                ? Stream.of(probe("", true, keySpace.nodesProbe()))
                                : masters.stream().map(this::probe))
                        .map(each -> each.<Optional<ServerState>>handle((state, failure) -> Optional.ofNullable(state)))
                        .toList())
                .thenApply(states -> states.stream().flatMap(Optional::stream).toList());
    }

    private CompletableFuture<ServerState> probe(ScriptRunner.Master master) {
        return probe(master.address(), keySpace.servesNodes(master), keySpace.probe(master.slot()));
    }

    private CompletableFuture<ServerState> probe(String server, boolean heartbeats, byte[] key) {
        long start = nanoTime.getAsLong();
        return scripts.run(new ScriptCall(PROBE, key)).thenApply(reply -> read(server, heartbeats, reply, start));
    }

    private ServerState read(String server, boolean heartbeats, List<Object> reply, long start) {
        Duration roundTrip = Duration.ofNanos(nanoTime.getAsLong() - start);
        Instant now = Instant.EPOCH.plus(Long.parseLong(text(reply, 0)), ChronoUnit.MICROS);
        Instant here = clock.instant().minus(roundTrip.dividedBy(2));
        return new ServerState(
                server,
                heartbeats,
                orUnknown(text(reply, 1)),
                number(text(reply, 2)),
                orUnknown(text(reply, 3)),
                switch (text(reply, 4)) {
                    case "1" -> AppendOnly.ON;
                    case "0" -> AppendOnly.OFF;
                    default -> AppendOnly.UNKNOWN;
                },
                number(text(reply, 5)),
                orUnknown(text(reply, 6)),
                (int) number(text(reply, 7)),
                refusal(text(reply, 8)),
                now,
                Duration.between(here, now),
                roundTrip);
    }

    /** Before Redis 7, the error of a command in a script begins with a dash. Others say nothing about writes. */
    private static @Nullable String refusal(String error) {
        String text = error.startsWith("-") ? error.substring(1) : error;
        return REFUSALS.stream().anyMatch(text::startsWith) ? text : null;
    }

    private static long number(String text) {
        return text.isEmpty() ? -1 : Long.parseLong(text);
    }

    private static String text(List<Object> reply, int index) {
        return new String((byte[]) reply.get(index), UTF_8);
    }

    private static String orUnknown(String text) {
        return text.isEmpty() ? ServerState.UNKNOWN : text;
    }
}
