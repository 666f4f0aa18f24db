package io.delayqueue.coordination;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The leases that receivers of this process gave and that are not settled. Thread-safe; no method blocks. */
public interface ReceivedLeases {

    /** The age from which on a lease is reported. */
    Duration OLD = Duration.ofSeconds(30);

    /** Leases of a process without receivers. */
    ReceivedLeases NONE = new ReceivedLeases() {

        @Override
        public boolean isEmpty() {
            return true;
        }

        @Override
        public List<Held> old() {
            return List.of();
        }

        @Override
        public void ended(String topic, String id) {}

        @Override
        public boolean release(@Nullable String client, @Nullable String topic, Duration since) {
            return false;
        }
    };

    /**
     * The old leases of a topic that one client holds.
     *
     * @param topic the topic
     * @param client name of the HTTP client; null if the application itself received
     * @param leases number of leases that are old
     * @param oldest time since the oldest was given
     * @param id message of the oldest
     */
    record Held(String topic, @Nullable String client, long leases, Duration oldest, String id) {}

    /** Whether there is none. */
    boolean isEmpty();

    /** The old leases, by holder; those that Redis has confirmed lately, because any process can settle them. */
    List<Held> old();

    /** The message of a lease was cancelled. */
    void ended(String topic, String id);

    /**
     * Releases leases. Their attempts do not count.
     *
     * @param client name of the HTTP client; null for those that the application itself received
     * @param topic the topic; null for all
     * @param since time that has passed since the request; leases that were given later stay
     * @return whether there were any
     */
    boolean release(@Nullable String client, @Nullable String topic, Duration since);
}
