package io.delayqueue.listener;

import io.delayqueue.message.Shard.Lane;
import java.util.concurrent.CompletableFuture;

/** A listener that can be started and stopped, any number of times. Thread-safe. */
public interface ManagedListener {

    /** The id, unique in its application. */
    String id();

    /** The topic it listens to. */
    String topic();

    /** Whether it takes the topic's messages, or the notices of its deaths. */
    Lane lane();

    /** How it is run. */
    ListenerOptions options();

    /** Handlers that run now. Asks nobody. */
    int inUse();

    /** Begins to take deliveries; does nothing when it runs. Doesn't wait for Redis, which may come later. */
    void start();

    /**
     * Takes no more deliveries, hands back those that no handler has started, and waits for running handlers, at most
     * for {@link ListenerOptions#drainTime()}. Never blocks, and may be called again.
     *
     * @return ends when it has stopped
     */
    CompletableFuture<Void> stop();

    /** Takes no more deliveries until {@link #resume()}; what runs goes on. A stopped listener starts paused. */
    void pause();

    /** Ends a pause. */
    void resume();

    /** Whether it was started and not yet stopped. */
    boolean isRunning();

    /** How it gets on with Redis. Asks nobody. */
    ListenerProgress progress();

    /** Whether it is paused by {@link #pause()}. */
    boolean isPaused();

    /**
     * Whether its topic is paused on all nodes, as far as this one has heard. It takes deliveries if neither this holds nor
     * {@link #isPaused()}.
     */
    boolean isPausedEverywhere();
}
