package io.delayqueue.container;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The right to handle a suspect. One poller of the engine has it at a time, so that a process handles at most one suspect
 * and its crash has one culprit. Pollers get it in the order of their requests. Thread-safe.
 */
final class IsolationSlot {

    /** A poller. */
    interface Claimant {

        /** Called when the poller gets the slot for which it waited. */
        void slotGranted();
    }

    private final Deque<Claimant> waiting = new ArrayDeque<>();
    private @Nullable Claimant owner;
    /** The suspect that the owner handles; null if there is none. */
    private @Nullable ClaimedDelivery suspect;

    /** Requests the slot. The poller is woken if it gets the slot later. Returns whether it may claim a suspect. */
    synchronized boolean request(Claimant poller) {
        if (owner == null) {
            owner = poller;
        } else if (owner != poller && !waiting.contains(poller)) {
            waiting.add(poller);
        }
        return mayClaim(poller);
    }

    /** Whether the poller has the slot and handles no suspect. */
    synchronized boolean mayClaim(Claimant poller) {
        return owner == poller && suspect == null;
    }

    /** Requests the slot for a claimed suspect. Returns whether the poller may handle it now. */
    synchronized boolean beginHandling(Claimant poller, ClaimedDelivery claimed) {
        boolean begins = request(poller);
        if (begins) {
            suspect = claimed;
        }
        return begins;
    }

    /** The suspect that the poller handles; null if there is none. */
    synchronized @Nullable ClaimedDelivery suspectOf(Claimant poller) {
        return owner == poller ? suspect : null;
    }

    /** Passes the slot on after a suspect was handled. Returns false if that was done before. */
    boolean endHandling(Claimant poller, ClaimedDelivery handled) {
        synchronized (this) {
            if (suspect != handled) {
                return false;
            }
            suspect = null;
        }
        release(poller);
        return true;
    }

    /** Ends the request of a poller, or its right unless it handles a suspect. */
    void release(Claimant poller) {
        Claimant next = null;
        synchronized (this) {
            waiting.remove(poller);
            if (mayClaim(poller)) {
                next = waiting.poll();
                owner = next;
            }
        }
        if (next != null) {
            next.slotGranted();
        }
    }
}
