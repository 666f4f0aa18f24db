package io.delayqueue.web.waiting;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.web.guard.Client;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * The waiting clients of all HTTP interfaces of this node. A periodic task detects disconnected clients every two
 * seconds. It is scheduled only while clients wait. On shutdown, all waits end before the web server waits for its
 * requests. Thread-safe.
 */
public final class LongPolls implements PeriodicTask, SmartLifecycle {

    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private final int maxWaiting;
    private final PeriodicTaskScheduler scheduler;
    private final Set<LongPoll> polls = new LinkedHashSet<>();
    private @Nullable TaskHandle handle;
    private volatile boolean running = true;

    /**
     * Creates an empty set of polls.
     *
     * @param maxWaiting maximum number of waiting clients, 1 or more
     * @param scheduler runs the periodic task
     */
    public LongPolls(int maxWaiting, PeriodicTaskScheduler scheduler) {
        this.maxWaiting = maxWaiting;
        this.scheduler = scheduler;
    }

    /**
     * Opens a poll for a client. The caller must close the poll when the request ends, for whatever reason.
     *
     * @param request the waiting request; until the poll ends, only the action of {@link LongPoll#respond} may read from
     *     it or write to it
     * @throws TooManyWaitingException if the maximum number of clients, or of requests of this client, already waits
     */
    public synchronized LongPoll open(HttpServletRequest request, Client client) {
        if (polls.size() >= maxWaiting) {
            throw TooManyWaitingException.ofNode(maxWaiting);
        }
        Peer peer = Peer.of(request);
        if (!client.beginWait()) {
            throw TooManyWaitingException.ofClient(client);
        }
        LongPoll poll = new LongPoll(peer, client, this);
        polls.add(poll);
        if (handle == null) {
            handle = scheduler.schedule("disconnected clients", this);
        }
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

    @Override
    public Duration run() {
        waitingPolls().forEach(LongPoll::checkConnection);
        return INTERVAL;
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
        waitingPolls().forEach(LongPoll::shutDown);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    private synchronized List<LongPoll> waitingPolls() {
        return List.copyOf(polls);
    }

    synchronized void ended(LongPoll poll) {
        polls.remove(poll);
        poll.client().endWait();
        if (polls.isEmpty() && handle != null) {
            handle.cancel();
            handle = null;
        }
    }
}
