package io.delayqueue.web.waiting;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client that waits for an answer. It ends once: by being answered, by having hung up, or by being closed. Thread-safe.
 */
public final class LongPoll implements AutoCloseable {

    private final Consumer<LongPoll> onEnd;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Peer peer;
    private @Nullable Runnable onHangUp;
    private boolean hungUp;

    LongPoll(Peer peer, Consumer<LongPoll> onEnd) {
        this.peer = peer;
        this.onEnd = onEnd;
    }

    /**
     * What is to be done when the client has hung up: to take nothing more in its name, and to end the request. It is
     * called at most once, within seconds, on a thread that must not be held for long; at once if that is known already.
     */
    public void onHangUp(Runnable action) {
        boolean known;
        lock.lock();
        try {
            onHangUp = action;
            known = hungUp;
        } finally {
            lock.unlock();
        }
        if (known) {
            action.run();
        }
    }

    /**
     * Answers the client, if it is still there and was not answered. Nothing of it may be done elsewhere.
     *
     * @param answer writes the answer, or has it written
     * @return whether it ran; if not, and the client has hung up, that was told
     */
    public boolean answer(Runnable answer) {
        Runnable next;
        boolean present;
        lock.lock();
        try {
            Peer waiting = peer;
            if (waiting == null) {
                return false;
            }
            present = !waiting.hasHungUp();
            next = present ? answer : hangUp();
            end();
        } finally {
            lock.unlock();
        }
        // with no lock held: the container has its own, under which it tells that a request has ended
        next.run();
        return present;
    }

    /** The request has ended in another way; from now on its connection is another one's. */
    @Override
    public void close() {
        lock.lock();
        try {
            end();
        } finally {
            lock.unlock();
        }
    }

    /** Tells of a client that has hung up. One that is being answered is left alone. */
    void look() {
        if (!lock.tryLock()) {
            return;
        }
        Runnable told;
        try {
            Peer waiting = peer;
            if (waiting == null || !waiting.hasHungUp()) {
                return;
            }
            told = hangUp();
            end();
        } finally {
            lock.unlock();
        }
        told.run();
    }

    /** What is to be done now; what is said only later is done then. */
    private Runnable hangUp() {
        hungUp = true;
        Runnable told = onHangUp;
        return told == null ? () -> {} : told;
    }

    private void end() {
        if (peer != null) {
            peer = null;
            onEnd.accept(this);
        }
    }
}
