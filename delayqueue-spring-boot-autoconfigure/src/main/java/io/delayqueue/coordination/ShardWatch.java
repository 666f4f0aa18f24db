package io.delayqueue.coordination;

import io.delayqueue.message.Shard;

/** Says whether this node watches a shard. Thread-safe; never blocks. */
public interface ShardWatch {

    /** Whether this node has to look after the shard by itself; when in doubt, yes. */
    boolean watches(Shard shard);

    /** Whether other nodes consume the topic too. */
    boolean hasPeers(String topic);

    /** Watches everything alone: for one node, and for tests. */
    static ShardWatch alone() {
        return new ShardWatch() {
            @Override
            public boolean watches(Shard shard) {
                return true;
            }

            @Override
            public boolean hasPeers(String topic) {
                return false;
            }
        };
    }
}
