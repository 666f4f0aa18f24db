package io.delayqueue.test.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The traffic through a {@link FaultProxy} since its start or the last {@link #reset()}. Thread-safe.
 *
 * <p>Requests are counted when they arrive at the proxy, whether or not it forwards them.
 */
public final class ProxyTraffic {

    private final Map<String, Long> requestsByName = new TreeMap<>();

    private @Nullable List<RedisRequest> recorded;

    private long connections;

    private long requests;

    private long roundTrips;

    ProxyTraffic() {}

    synchronized void connected() {
        this.connections++;
    }

    synchronized void requested(RedisRequest request, boolean nothingOutstanding) {
        this.requests++;
        if (nothingOutstanding) {
            this.roundTrips++;
        }
        this.requestsByName.merge(request.name(), 1L, Long::sum);
        if (this.recorded != null) {
            this.recorded.add(request);
        }
    }

    /**
     * The number of connections of clients.
     *
     * @return accepted connections, except those that were closed at once
     */
    public synchronized long connections() {
        return this.connections;
    }

    /**
     * The number of commands that clients sent.
     *
     * @return commands; each command of a pipeline counts
     */
    public synchronized long requests() {
        return this.requests;
    }

    /**
     * The number of commands with a name that clients sent.
     *
     * @param name the name in upper case
     * @return commands with that name
     */
    public synchronized long requests(String name) {
        return this.requestsByName.getOrDefault(name, 0L);
    }

    /**
     * The number of commands that clients sent, by name.
     *
     * @return a copy, names in upper case
     */
    public synchronized Map<String, Long> requestsByName() {
        return new TreeMap<>(this.requestsByName);
    }

    /**
     * Returns the number of round trips: commands that arrived while no earlier command on the same connection waited
     * for its reply. A pipeline is one round trip.
     *
     * @return round trips
     */
    public synchronized long roundTrips() {
        return this.roundTrips;
    }

    /**
     * Records each command from now on, for {@link #recorded()}.
     */
    public synchronized void startRecording() {
        this.recorded = new ArrayList<>();
    }

    /**
     * The recorded commands in the order of their arrival.
     *
     * @return a copy, empty if nothing is recorded
     */
    public synchronized List<RedisRequest> recorded() {
        return this.recorded == null ? List.of() : List.copyOf(this.recorded);
    }

    /** Resets the counters, and the recording if commands are recorded. */
    public synchronized void reset() {
        this.requestsByName.clear();
        this.connections = 0;
        this.requests = 0;
        this.roundTrips = 0;
        if (this.recorded != null) {
            this.recorded = new ArrayList<>();
        }
    }
}
