package io.delayqueue.coordination;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The holder of old leases of a topic: an HTTP client, or the application of one process, which called a receiver.
 *
 * @param topic the topic
 * @param client name of the HTTP client; null for an application
 * @param node name of the process; null for an HTTP client, which may hold leases of several
 * @param host host of the process, or its name if the host is unknown; null for an HTTP client
 * @param leases number of leases that were given 30 s ago or earlier
 * @param oldest time since the oldest of them was given
 * @param id message of the oldest
 * @param usual mean time between the receive and the settlement of the topic's last messages; zero if it is unknown
 */
public record LeaseHolder(
        String topic,
        @Nullable String client,
        @Nullable String node,
        @Nullable String host,
        long leases,
        Duration oldest,
        String id,
        Duration usual) {

    /** The same holder by the reports of two processes. */
    LeaseHolder plus(LeaseHolder other) {
        LeaseHolder older = oldest.compareTo(other.oldest) >= 0 ? this : other;
        return new LeaseHolder(topic, client, node, host, leases + other.leases, older.oldest, older.id, usual);
    }

    LeaseHolder withUsual(Duration time) {
        return new LeaseHolder(topic, client, node, host, leases, oldest, id, time);
    }
}
