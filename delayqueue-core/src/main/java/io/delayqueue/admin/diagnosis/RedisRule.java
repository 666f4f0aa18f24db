package io.delayqueue.admin.diagnosis;

import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.redis.server.ServerState;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server refuses writes, its memory is nearly full, or it may evict keys.
 *
 * <p>While a server refuses all writes, nodes send no heartbeat and claim nothing: that is explained, until they had time
 * to send heartbeats again.
 */
final class RedisRule implements Rule {

    /** Shares of the memory from which on it is a warning and critical. A finding ends five percent below. */
    private static final double WARNING = 0.8;

    private static final double CRITICAL = 0.95;
    private static final double HYSTERESIS = 0.05;

    /** What follows from a server that refuses the writes of heartbeats. */
    private static final Set<Kind> WITHOUT_HEARTBEATS = Set.of(Kind.NODE_FAILED, Kind.NO_LISTENER);

    /** What follows from a server that refuses the writes of claims. */
    private static final Set<Kind> WITHOUT_CLAIMS = Set.of(Kind.LATE, Kind.STUCK, Kind.BUSY, Kind.GROWTH, Kind.SHARDS);

    private final boolean allowEviction;
    private final Duration recovery;
    private @Nullable Instant heartbeatsUntil;
    private @Nullable Instant claimsUntil;

    /**
     * Creates the rule.
     *
     * @param heartbeat interval between heartbeats; after two of them all nodes have sent one again
     */
    RedisRule(boolean allowEviction, Duration heartbeat) {
        this.allowEviction = allowEviction;
        this.recovery = heartbeat.multipliedBy(2).plusSeconds(1);
    }

    @Override
    public void check(Situation situation) {
        Instant until = situation.now().plus(recovery);
        for (ServerState server : situation.servers()) {
            if (server.refusesAll()) {
                claimsUntil = until;
                heartbeatsUntil = server.heartbeats() ? until : heartbeatsUntil;
            }
            checkWrites(situation, server);
            checkPolicy(situation, server);
        }
        if (claimsUntil != null && situation.now().isBefore(claimsUntil)) {
            situation.explain(WITHOUT_CLAIMS);
        }
        if (heartbeatsUntil != null && situation.now().isBefore(heartbeatsUntil)) {
            situation.explain(WITHOUT_HEARTBEATS);
        }
    }

    private static void checkWrites(Situation situation, ServerState server) {
        String refusal = server.refusal();
        if (refusal != null) {
            add(
                    situation,
                    Level.CRITICAL,
                    server,
                    "writes",
                    " refuses writes: " + refusal + (refusal.endsWith(".") ? " " : ". ") + effect(server));
        } else {
            checkMemory(situation, server);
        }
    }

    private static String effect(ServerState server) {
        String refusal = String.valueOf(server.refusal());
        if (server.isFull()) {
            return "Sends are rejected, and handling continues. It uses " + memory(server) + ".";
        }
        String effect = "Nothing is sent, claimed or settled.";
        if (refusal.startsWith("NOREPLICAS")) {
            return effect + " Connected replicas: " + server.replicas() + ".";
        }
        return refusal.startsWith("READONLY") ? effect + " It is a replica." : effect;
    }

    private static void checkMemory(Situation situation, ServerState server) {
        double share = server.maxMemory() > 0 ? (double) server.usedMemory() / server.maxMemory() : 0;
        boolean critical = exceeds(situation, server, "full", share, CRITICAL);
        boolean warning = exceeds(situation, server, "memory", share, WARNING);
        if (critical || warning) {
            add(
                    situation,
                    critical ? Level.CRITICAL : Level.WARNING,
                    server,
                    critical ? "full" : "memory",
                    " uses " + Math.round(share * 100) + " % of its memory, " + memory(server)
                            + (server.mayEvict()
                                    ? ". When it is full, messages are lost."
                                    : ". When it is full, sends are rejected."));
        }
    }

    private static boolean exceeds(Situation situation, ServerState server, String name, double share, double limit) {
        return share >= (situation.wasFound(Kind.REDIS, name + server.server()) ? limit - HYSTERESIS : limit);
    }

    private void checkPolicy(Situation situation, ServerState server) {
        if (!allowEviction && (server.mayEvict() || server.mayForget())) {
            add(
                    situation,
                    Level.WARNING,
                    server,
                    "policy",
                    " may evict " + (server.mayEvict() ? "messages" : "idempotency keys")
                            + " when its memory is full: its maxmemory-policy is " + server.evictionPolicy()
                            + ". Set it to noeviction.");
        }
    }

    private static void add(Situation situation, Level level, ServerState server, String name, String text) {
        situation.add(
                level,
                Kind.REDIS,
                null,
                name + server.server(),
                (server.server().isEmpty() ? "Redis" : "Redis at " + server.server()) + text);
    }

    private static String memory(ServerState server) {
        return megabytes(server.usedMemory()) + " of " + megabytes(server.maxMemory());
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%,.1f MB", bytes / (1024.0 * 1024));
    }
}
