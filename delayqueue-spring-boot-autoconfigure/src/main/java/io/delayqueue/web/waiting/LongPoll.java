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
        lock.lock();
        try {
            onHangUp = action;
            if (hungUp) {
                action.run();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Answers the client, if it is still there and was not answered. Nothing of it may be done elsewhere.
     *
     * @param answer writes the answer, or has it written
     * @return whether it ran; if not, and the client has hung up, that was told
     */
    public boolean answer(Runnable answer) {
        lock.lock();
        try {
            Peer waiting = peer;
            if (waiting == null) {
                return false;
            }
            if (waiting.hasHungUp()) {
                hangUp();
                return false;
            }
            end();
            answer.run();
            return true;
        } finally {
            lock.unlock();
        }
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
        try {
            Peer waiting = peer;
            if (waiting != null && waiting.hasHungUp()) {
                hangUp();
            }
        } finally {
            lock.unlock();
        }
    }

    private void hangUp() {
        Runnable told = onHangUp;
        hungUp = true;
        end();
        if (told != null) {
            told.run();
        }
    }

    private void end() {
        if (peer != null) {
            peer = null;
            onEnd.accept(this);
        }
    }
}
