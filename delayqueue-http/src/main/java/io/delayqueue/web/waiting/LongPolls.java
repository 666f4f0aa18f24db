package io.delayqueue.web.waiting;

import io.delayqueue.management.guard.Client;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * The waiting clients of all HTTP interfaces of this node, whose number is limited. On shutdown, all waits end before the
 * web server waits for its requests. Thread-safe.
 */
public final class LongPolls implements SmartLifecycle {

    private final int maxWaiting;
    private final Set<LongPoll> polls = new LinkedHashSet<>();
    private volatile boolean running = true;

    /**
     * Creates an empty set of polls.
     *
     * @param maxWaiting maximum number of waiting clients, 1 or more
     */
    public LongPolls(int maxWaiting) {
        this.maxWaiting = maxWaiting;
    }

    /** A client that waits for a response. */
    public final class LongPoll implements AutoCloseable {

        private final Client client;
        private volatile @Nullable Runnable onShutdown;

        private LongPoll(Client client) {
            this.client = client;
        }

        /**
         * Registers the action that ends the wait without messages when the application shuts down, because the web
         * server waits for all requests. The action runs immediately if the shutdown has begun. It must not block.
         */
        public void onShutdown(Runnable action) {
            onShutdown = action;
            if (!running) {
                action.run();
            }
        }

        /** Ends the poll; does nothing if it has ended. */
        @Override
        public void close() {
            synchronized (LongPolls.this) {
                if (polls.remove(this)) {
                    client.endWait();
                }
            }
        }
    }

    /**
     * Opens a poll for a client. The caller must close the poll when the request ends, for whatever reason.
     *
     * @throws TooManyWaitingException if the maximum number of clients, or of requests of this client, already waits
     */
    public synchronized LongPoll open(Client client) {
        if (polls.size() >= maxWaiting) {
            throw TooManyWaitingException.ofNode(maxWaiting);
        }
        if (!client.beginWait()) {
            throw TooManyWaitingException.ofClient(client);
        }
        LongPoll poll = new LongPoll(client);
        polls.add(poll);
        return poll;
    }

    /** Returns the number of waiting clients. */
    public synchronized int waiting() {
        return polls.size();
    }

    /** Returns the maximum number of waiting clients. */
    public int maxWaiting() {
        return maxWaiting;
    }

    /** Permits waits again. */
    @Override
    public void start() {
        running = true;
    }

    /** Ends all waits. Waits that begin later end immediately. */
    @Override
    public void stop() {
        running = false;
        List<LongPoll> waiting;
        synchronized (this) {
            waiting = List.copyOf(polls);
        }
        for (LongPoll poll : waiting) {
            Runnable action = poll.onShutdown;
            if (action != null) {
                action.run();
            }
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
