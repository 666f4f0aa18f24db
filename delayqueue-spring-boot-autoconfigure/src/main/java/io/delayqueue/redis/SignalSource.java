package io.delayqueue.redis;

import io.delayqueue.message.Shard;

/**
 * Hears what scripts announce. A signal may get lost and may come twice: it only ever makes delivery earlier.
 * Thread-safe.
 *
 * <p>On the wire, in one channel a namespace: {@code h <lane> <due ms>} for a head that became earlier,
 * {@code s <lane> <consumer>} for due messages left behind, {@code c <node> <number>} for a node's canary,
 * {@code m <node>} for a node that came, went, changed what it consumes or found another one dead, {@code m -} for a topic
 * that was paused or resumed on all nodes. A lane is
 * {@link ShardKeys#signal()}, which holds no white space.
 */
public interface SignalSource {

    /**
     * Listens to a lane's signals until the subscription is closed.
     *
     * @param listener called on a thread of the Redis client: it must not block
     */
    Subscription listen(Shard shard, SignalListener listener);

    /**
     * Whether the node heard its own canary lately, so that signals can be relied upon. While it did not, sweeps are to
     * be more frequent.
     */
    boolean confirmed();

    /** What is to be done upon a signal. Implementations must not block. */
    interface SignalListener {

        /**
         * The shard's first due time became earlier.
         *
         * @param dueMillis the new one, ms since 1970 by Redis' clock
         */
        void headAt(long dueMillis);

        /**
         * Due messages were left behind.
         *
         * @param consumer by whom
         */
        void surplus(String consumer);

        /** Other nodes came, went, or consume something else; or a topic was paused or resumed on all nodes. */
        default void membersChanged() {}

        /** The subscription was made anew: anything may have been missed. */
        void resubscribed();
    }

    /** An ongoing subscription. */
    interface Subscription extends AutoCloseable {
        @Override
        void close();
    }
}
