package io.delayqueue.redis.server;

import java.time.Duration;
import java.time.Instant;

/**
 * What a Redis server said of itself.
 *
 * @param version such as {@code 7.0.15} or {@code Valkey 8.0.1}; {@link #UNKNOWN} where it may not be asked
 * @param maxMemory at how many bytes its memory is full; 0 for no limit, -1 if unknown
 * @param evictionPolicy its {@code maxmemory-policy}, or {@link #UNKNOWN}
 * @param appendOnly whether it writes an append-only file
 * @param now its clock
 * @param clockSkew how far its clock is ahead of this process', give or take half the round trip
 * @param roundTrip from the question to the answer; the first time that includes to connect
 */
public record ServerState(
        String version,
        long maxMemory,
        String evictionPolicy,
        AppendOnly appendOnly,
        Instant now,
        Duration clockSkew,
        Duration roundTrip) {

    /** What stands for a text that the server doesn't tell. */
    public static final String UNKNOWN = "unknown";

    /** Whether there is an append-only file. */
    public enum AppendOnly {
        /** There is. */
        ON,
        /** There is none: a crash takes back what was written since the last snapshot, if there ever was one. */
        OFF,
        /** The server doesn't tell. */
        UNKNOWN
    }

    /**
     * Whether the server may remove messages when its memory is full, even if no limit is set yet. Policies named
     * {@code volatile-*} remove what has a time to live only, and nothing of the queue has one. A policy of another name
     * is taken for one that removes anything.
     */
    public boolean mayEvict() {
        return !evictionPolicy.equals("noeviction")
                && !evictionPolicy.startsWith("volatile-")
                && !evictionPolicy.equals(UNKNOWN);
    }
}
