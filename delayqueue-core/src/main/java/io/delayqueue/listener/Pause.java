package io.delayqueue.listener;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pause of the listeners of a topic. It is kept in Redis, and ends when it is ended, or with the record of its node.
 *
 * @param topic the topic
 * @param listener id of the paused listener; null for all listeners of the topic, including dead-letter listeners
 * @param node name of the node on which they are paused; null for all nodes, including nodes that start later
 * @param by name of the user who paused them, at most {@value #MAX_BY} characters; empty if it is unknown
 * @param at when they were paused, by Redis' clock
 */
public record Pause(
        String topic, @Nullable String listener, @Nullable String node, String by, Instant at) {

    /** Maximum length of {@code by}. A longer name is cut. */
    public static final int MAX_BY = 100;

    /** Cuts the name of the user. */
    public Pause {
        by = by.length() > MAX_BY ? by.substring(0, MAX_BY) : by;
    }

    /** Whether all listeners of the topic are paused on all nodes. */
    public boolean isForAll() {
        return listener == null && node == null;
    }

    /** Whether a listener of the topic is paused on a node. */
    public boolean includes(String listener, String node) {
        return (this.listener == null || this.listener.equals(listener))
                && (this.node == null || this.node.equals(node));
    }
}
