package io.delayqueue.redis.server;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Version, settings, memory, replication and clock of a Redis server.
 *
 * @param server host and port of a master of a Cluster; empty if Redis is no Cluster
 * @param heartbeats whether the server stores the heartbeats of the nodes
 * @param version such as {@code 7.0.15} or {@code Valkey 8.0.1}; {@link #UNKNOWN} without permission for {@code INFO}
 * @param maxMemory memory limit in bytes; 0 for no limit, -1 if unknown
 * @param evictionPolicy {@code maxmemory-policy}, or {@link #UNKNOWN}
 * @param appendOnly whether the server writes an append-only file
 * @param usedMemory used memory in bytes; -1 if unknown
 * @param role such as {@code master}, or {@link #UNKNOWN}
 * @param replicas number of connected replicas; -1 if unknown
 * @param refusal the error with which the server refuses writes that need memory; null if it accepts them
 * @param now time of the server's clock
 * @param clockSkew difference of the server's clock to the clock of this process, positive if the server's is ahead;
 *     accurate to half the round trip
 * @param roundTrip time from the request to the reply; the first request includes the time to connect
 */
public record ServerState(
        String server,
        boolean heartbeats,
        String version,
        long maxMemory,
        String evictionPolicy,
        AppendOnly appendOnly,
        long usedMemory,
        String role,
        int replicas,
        @Nullable String refusal,
        Instant now,
        Duration clockSkew,
        Duration roundTrip) {

    /** The value of a text that the server does not report. */
    public static final String UNKNOWN = "unknown";

    /** Whether the server writes an append-only file. */
    public enum AppendOnly {
        /** The server writes an append-only file. */
        ON,
        /** There is no append-only file: a crash loses all writes since the last snapshot. */
        OFF,
        /** The server does not report it. */
        UNKNOWN
    }

    /** Whether the server refuses all writes. With full memory, it refuses those that need memory only. */
    public boolean refusesAll() {
        return refusal != null && !isFull();
    }

    /** Whether the server refuses writes because its memory is full. */
    public boolean isFull() {
        return refusal != null && refusal.startsWith("OOM");
    }

    /**
     * Whether the server's policy lets it evict messages when its memory is full. It does not matter whether a memory
     * limit is set. A policy with an unfamiliar name counts as one that evicts any key.
     */
    public boolean mayEvict() {
        return !evictionPolicy.equals("noeviction") && !mayForget() && !evictionPolicy.equals(UNKNOWN);
    }

    /**
     * Whether the server's policy lets it evict keys with a time to live when its memory is full. It does not matter
     * whether a memory limit is set. Messages, dead letters, leases and nodes have no time to live. Requests with an
     * idempotency key and the records of deleted topics have a time to live of a day.
     */
    public boolean mayForget() {
        return evictionPolicy.startsWith("volatile-");
    }
}
