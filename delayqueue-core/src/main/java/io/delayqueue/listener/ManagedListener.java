package io.delayqueue.listener;

import io.delayqueue.Internal;
import io.delayqueue.message.QueueKind;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A listener that can be started and stopped any number of times. Thread-safe. */
public interface ManagedListener {

    /** The id, unique in its application. */
    String id();

    /** The topic it listens to. */
    String topic();

    /** Whether it handles the topic's messages or the notifications of its dead letters. */
    QueueKind kind();

    /** The options. */
    ListenerOptions options();

    /** Number of running handlers. Does not call Redis. */
    int inUse();

    /** What it does: running handlers and attempts of the last minute. Does not call Redis. */
    ListenerStatus status();

    /**
     * Starts to take deliveries. Does nothing if the listener runs. Does not wait for Redis, which may be
     * unavailable.
     */
    void start();

    /**
     * Takes no more deliveries, releases those that no handler has started, and waits for running handlers up to
     * {@link ListenerOptions#drainTime()}. Does not block. May be called again.
     *
     * @return completes when the listener has stopped
     */
    CompletableFuture<Void> stop();

    /** Removes a stopped listener from what the node reports, because the context that declared it has closed. */
    @Internal
    default void remove() {}

    /**
     * Takes no more deliveries until {@link #resume()}; running handlers continue. A stopped listener that is paused
     * starts paused. Does not call Redis: the pause takes effect at once, also if Redis is unavailable, and ends with
     * the process. It is independent of {@link #pauses()}; {@code DelayQueueAdmin} pauses listeners of all nodes.
     */
    void pause();

    /** Ends the pause of {@link #pause()}. */
    void resume();

    /** Whether the listener was started and not yet stopped. */
    boolean isRunning();

    /** The state of its polls. Does not call Redis. */
    ListenerProgress progress();

    /** Whether {@link #pause()} paused it. */
    boolean isPaused();

    /**
     * The pauses in Redis that include this listener, to the knowledge of this node. Does not call Redis. The listener
     * takes deliveries if there are none and {@link #isPaused()} returns false.
     */
    List<Pause> pauses();
}
