package io.delayqueue.container;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The suspects of a poller: messages whose leases ended repeatedly without a settlement. A suspect is claimed and handled
 * only with the process's {@link IsolationSlot}, beside the permits of the listener.
 *
 * <p>The poller's task reports replies and takes suspects. Any thread may settle a suspect, and grant or release the
 * slot.
 */
final class Suspects implements IsolationSlot.Claimant {

    private final IsolationSlot slot;
    private final OpenDeliveries deliveries;
    private final Executor handlers;
    private final LongSupplier nanoTime;
    private final Duration sweep;
    private final Duration handlingTime;
    private final BooleanSupplier claiming;
    private final Runnable pollNow;
    private final Consumer<ClaimedDelivery> handler;

    /** Whether suspects waited at the last reply. */
    private volatile boolean left;

    /** The suspect whose handler runs on its first thread; null if there is none. */
    private volatile @Nullable ClaimedDelivery running;

    /** When this poller may request the slot again. */
    private volatile long nextRequest;

    /**
     * Creates the suspects of a poller.
     *
     * @param handlingTime time after which a handler no longer keeps the slot
     * @param claiming whether the poller claims messages
     * @param pollNow requests a poll, which claims a suspect if this poller has the slot
     * @param handler handles a suspect outside the permits
     */
    Suspects(
            ListenerContext context,
            OpenDeliveries deliveries,
            Duration handlingTime,
            BooleanSupplier claiming,
            Runnable pollNow,
            Consumer<ClaimedDelivery> handler) {
        this.slot = context.isolation();
        this.handlers = context.handlers();
        this.nanoTime = context.nanoTime();
        this.sweep = context.settings().sweep();
        this.deliveries = deliveries;
        this.handlingTime = handlingTime;
        this.claiming = claiming;
        this.pollNow = pollNow;
        this.handler = handler;
        this.nextRequest = nanoTime.getAsLong();
    }

    /** Whether the next poll claims a suspect. */
    boolean mayClaim() {
        return claiming.getAsBoolean() && slot.mayClaim(this);
    }

    /** Records whether suspects wait. */
    void replied(boolean suspectsLeft) {
        left = suspectsLeft;
    }

    /** Handles a claimed suspect, or releases it if this process may not handle it now. */
    void take(ClaimedDelivery suspect) {
        suspect.suspects = this;
        deliveries.addSuspect(suspect);
        if (claiming.getAsBoolean() && slot.beginHandling(this, suspect)) {
            try {
                handlers.execute(() -> start(suspect));
                return;
            } catch (RuntimeException | Error e) {
                nextRequest = nanoTime.getAsLong() + sweep.toNanos(); // no thread
            }
        }
        left = false; // until the next poll
        suspect.release();
    }

    /** Runs on a handler thread. A suspect that may not start, as after a long wait for the thread, is claimed again. */
    private void start(ClaimedDelivery suspect) {
        if (claiming.getAsBoolean() && deliveries.mayStartSuspect(suspect)) {
            running = suspect;
            try {
                handler.accept(suspect);
            } finally {
                running = null;
                if (suspect.isSettled()) {
                    settled(suspect);
                }
            }
        } else {
            suspect.release();
        }
    }

    /** Requests the slot if suspects wait, and polls for one when this poller has it. */
    void requestSlot() {
        if (!claiming.getAsBoolean() || !left || nanoTime.getAsLong() - nextRequest < 0) {
            slot.release(this);
        } else if (slot.request(this)) {
            slotGranted();
        }
    }

    @Override
    public void slotGranted() {
        pollNow.run();
        if (!claiming.getAsBoolean()) { // paused before the slot was granted, so that the pause did not release it
            slot.release(this);
        }
    }

    /** Ends the request for the slot, or passes it on unless a suspect is handled. */
    void releaseSlot() {
        slot.release(this);
    }

    /** Passes the slot on after a suspect was settled. A handler that settled it must have returned, too. */
    void settled(ClaimedDelivery suspect) {
        if (suspect != running) {
            passOn(suspect);
        }
    }

    private void passOn(ClaimedDelivery suspect) {
        if (slot.endHandling(this, suspect)) {
            requestSlot();
        }
    }

    /** Passes the slot on if a handler does not return within the time that handlers may take. */
    void endOverdue() {
        ClaimedDelivery current = slot.suspectOf(this);
        if (current != null
                && current.isStarted()
                && nanoTime.getAsLong() - current.startedAt() > handlingTime.toNanos()) {
            passOn(current);
        }
    }
}
