package io.delayqueue.coordination;

/**
 * Whether one consumer of a shard sweeps it. Thread-safe; no method waits for Redis.
 *
 * <p>Correctness never depends on the assignment, because claims are atomic. It only saves polls.
 */
public interface ShardAssignment {

    /** Whether this consumer sweeps the shard. True if the other nodes are unknown. */
    boolean isAssigned();

    /** Whether other consumers of the shard exist, in this process or another. */
    boolean hasPeers();

    /** Ends the participation of this consumer. The shard is reassigned at once. */
    void leave();

    /** The assignment of a single consumer without membership: it is assigned and has no peers. */
    static ShardAssignment alone() {
        return new ShardAssignment() {
            @Override
            public boolean isAssigned() {
                return true;
            }

            @Override
            public boolean hasPeers() {
                return false;
            }

            @Override
            public void leave() {}
        };
    }
}
