package io.delayqueue.container;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The right to handle a suspect. One poller of the engine has it at a time, so that a process handles at most one suspect
 * and its crash has one culprit. Pollers get it in the order of their requests. Thread-safe.
 */
final class IsolationSlot {

    private @Nullable ShardPoller owner;
    private final Deque<ShardPoller> waiting = new ArrayDeque<>();

    /** Requests the slot. The poller is woken if it gets the slot later. Returns whether it has the slot. */
    synchronized boolean request(ShardPoller poller) {
        if (owner == null) {
            owner = poller;
        } else if (owner != poller && !waiting.contains(poller)) {
            waiting.add(poller);
        }
        return owner == poller;
    }

    /** Ends the right or the request of a poller. */
    void release(ShardPoller poller) {
        ShardPoller next = null;
        synchronized (this) {
            waiting.remove(poller);
            if (owner == poller) {
                next = waiting.poll();
                owner = next;
            }
        }
        if (next != null) {
            next.slotGranted();
        }
    }

    synchronized boolean isOwnedBy(ShardPoller poller) {
        return owner == poller;
    }
}
