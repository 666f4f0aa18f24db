package io.delayqueue.web.waiting;

import io.delayqueue.web.guard.Client;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A client that waits for a response. A poll ends once: when its response is written, when the client disconnects, or
 * when it is closed. Thread-safe.
 */
public final class LongPoll implements AutoCloseable {

    private final Client client;
    private final LongPolls polls;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Peer peer;
    private @Nullable Runnable onDisconnect;
    private boolean disconnected;
    private volatile @Nullable Runnable onShutdown;

    LongPoll(Peer peer, Client client, LongPolls polls) {
        this.peer = peer;
        this.client = client;
        this.polls = polls;
    }

    Client client() {
        return client;
    }

    /**
     * Registers the action for a disconnected client: it stops receiving for the client and ends the request. The
     * action runs at most once, within seconds of the disconnection, and must not block. It runs immediately if the
     * client has already disconnected.
     */
    public void onDisconnect(Runnable action) {
        boolean known;
        lock.lock();
        try {
            onDisconnect = action;
            known = disconnected;
        } finally {
            lock.unlock();
        }
        if (known) {
            action.run();
        }
    }

    /**
     * Registers the action that ends the wait without messages when the application shuts down, because the web server
     * waits for all requests. The action runs immediately if the shutdown has begun. It must not block.
     */
    public void onShutdown(Runnable action) {
        onShutdown = action;
        if (!polls.isRunning()) {
            action.run();
        }
    }

    void shutDown() {
        Runnable action = onShutdown;
        if (action != null) {
            action.run();
        }
    }

    /**
     * Writes the response if the client is connected and the poll has not ended. Otherwise the response must not be
     * written. If the client has disconnected, this runs the action of {@link #onDisconnect}.
     *
     * @param response writes the response, or starts writing it
     * @return whether the action ran
     */
    public boolean respond(Runnable response) {
        Runnable next;
        boolean present;
        lock.lock();
        try {
            Peer waiting = peer;
            if (waiting == null) {
                return false;
            }
            present = !waiting.isDisconnected();
            next = present ? response : markDisconnected();
            end();
        } finally {
            lock.unlock();
        }
        // without the lock: the container calls close() under a lock of its own, so that both could deadlock
        next.run();
        return present;
    }

    /**
     * Ends the poll without a response. The connection is not checked afterwards, since it may serve another request.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            end();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the poll if the client has disconnected. Does nothing while another thread holds the lock, for example to
     * end the poll.
     */
    void checkConnection() {
        if (!lock.tryLock()) {
            return;
        }
        Runnable action;
        try {
            Peer waiting = peer;
            if (waiting == null || !waiting.isDisconnected()) {
                return;
            }
            action = markDisconnected();
            end();
        } finally {
            lock.unlock();
        }
        action.run();
    }

    /** Returns the registered action. An action that is registered later runs on registration. */
    private Runnable markDisconnected() {
        disconnected = true;
        Runnable action = onDisconnect;
        return action == null ? () -> {} : action;
    }

    private void end() {
        if (peer != null) {
            peer = null;
            polls.ended(this);
        }
    }
}
