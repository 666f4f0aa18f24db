package io.delayqueue.redis;

import io.delayqueue.message.Shard;

/**
 * Receives the signals that scripts publish. A signal may be lost or arrive twice. Correctness never depends on
 * signals: they only make polls earlier. Thread-safe.
 *
 * <p>Each namespace has one channel. The signals are:
 *
 * <ul>
 *   <li>{@code h <queue> <due ms>}: the schedule has a new first message, due at this time
 *   <li>{@code s <queue> <consumer>}: a consumer left due messages in the schedule
 *   <li>{@code r <queue> <id>}: a leased message was cancelled or replaced; the id is empty for several messages
 *   <li>{@code c <node>}: the canary of a node
 *   <li>{@code m <node>}: a node joined, left, changed its consumed topics, or removed a failed node
 *   <li>{@code m -}: a topic was paused or resumed on all nodes
 * </ul>
 *
 * <p>{@code <queue>} is {@link ShardKeys#signal()}, which has no white space.
 */
public interface SignalSource {

    /**
     * Registers a listener for the signals of a queue until the subscription is closed.
     *
     * @param listener called on a thread of the Redis client; must not block
     */
    Subscription listen(Shard shard, SignalListener listener);

    /**
     * Like {@link #listen}, for a shard of a topic that does not exist yet and may never exist. Nothing about the shard
     * is cached after the subscription is closed.
     */
    default Subscription listenUnregistered(Shard shard, SignalListener listener) {
        return listen(shard, listener);
    }

    /**
     * Whether the node received its own canary recently, which shows that signals arrive. Otherwise pollers must sweep
     * more often.
     */
    boolean confirmed();

    /** Starts to receive signals. Redis may be unavailable. */
    default void start() {}

    /** Stops receiving signals. */
    default void stop() {}

    /** Called after each successful heartbeat, to detect a subscription that no longer receives signals. */
    default void afterHeartbeat() {}

    /**
     * Sets the task that runs after a (re)subscription, and when other nodes joined, left or changed their consumed
     * topics, or a topic was paused or resumed on all nodes. It must not block.
     */
    default void onChange(Runnable task) {}

    /** Handles signals. Implementations must not block. */
    interface SignalListener {

        /**
         * The shard's schedule has a new first message.
         *
         * @param dueMillis its due time, ms since 1970 by Redis' clock
         */
        void headAt(long dueMillis);

        /**
         * A consumer left due messages in the schedule.
         *
         * @param consumer name of the consumer
         */
        void dueMessagesLeft(String consumer);

        /**
         * A leased message was cancelled or replaced. A delivery of it that has not started may be obsolete.
         *
         * @param id id of the message; empty if it may be any message
         */
        default void cancelledOrReplaced(String id) {}

        /** The subscription was re-established. Signals may have been lost. */
        void resubscribed();
    }

    /** An ongoing subscription. */
    interface Subscription extends AutoCloseable {
        @Override
        void close();
    }
}
