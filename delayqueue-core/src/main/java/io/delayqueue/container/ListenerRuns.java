package io.delayqueue.container;

import io.delayqueue.coordination.HandlerStack;
import io.delayqueue.listener.ListenerStatus;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.QueueKind;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** The listeners of an engine and their runs. A run keeps the process alive from its start to its stop. Thread-safe. */
final class ListenerRuns {

    private final ThreadFactory threads;
    private final boolean keepsAlive;
    /** The listeners that were started at least once, by id. */
    private final Map<String, ManagedListener> listeners = new ConcurrentSkipListMap<>();
    /** Runs that keep the process alive. */
    private final Set<ListenerRun> running = ConcurrentHashMap.newKeySet();
    /** Runs with settlements that have no reply. */
    private final Set<ListenerRun> open = ConcurrentHashMap.newKeySet();

    // guarded by this
    private @Nullable CountDownLatch alive;
    private boolean closed;

    /**
     * Creates an empty set.
     *
     * @param threads creates the thread that keeps the process alive
     * @param keepsAlive whether runs keep the process alive
     */
    ListenerRuns(ThreadFactory threads, boolean keepsAlive) {
        this.threads = threads;
        this.keepsAlive = keepsAlive;
    }

    /**
     * Adds a run that starts.
     *
     * @throws IllegalStateException if the engine is closed
     */
    synchronized void started(ManagedListener listener, ListenerRun run) {
        if (closed) {
            throw new IllegalStateException("The delay queue engine is closed");
        }
        if (alive == null && keepsAlive) {
            CountDownLatch latch = new CountDownLatch(1);
            keepAlive(latch); // first: it throws if no thread can be created
            alive = latch;
        }
        listeners.put(listener.id(), listener);
        running.add(run);
        open.add(run);
    }

    /** Starts a thread that keeps the process alive: all other threads of the engine are daemons. */
    private void keepAlive(CountDownLatch until) {
        Thread thread = threads.newThread(() -> {
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread.setName(DelayQueueEngine.THREAD_NAME + "-keep-alive");
        thread.setDaemon(false);
        thread.start();
    }

    /** Called when a stop ends or times out: the run no longer keeps the process alive. */
    synchronized void stopped(ListenerRun run) {
        running.remove(run);
        if (running.isEmpty()) {
            letProcessEnd();
        }
    }

    private void letProcessEnd() {
        if (alive != null) {
            alive.countDown();
            alive = null;
        }
    }

    /** Called when the last settlement of a run has its reply. */
    void ended(ListenerRun run) {
        open.remove(run);
    }

    /** Removes a listener from the report of this node. */
    void remove(ManagedListener listener) {
        listeners.remove(listener.id(), listener);
    }

    /** The states of the listeners, ordered by id. */
    List<ListenerStatus> statuses() {
        return listeners.values().stream().map(ManagedListener::status).toList();
    }

    /** The stack of the oldest handler of a listener. */
    HandlerStack stack(String listener) {
        return running.stream()
                .filter(run -> run.id().equals(listener))
                .findFirst()
                .map(ListenerRun::stack)
                .orElseGet(() -> new HandlerStack(listener, null, List.of()));
    }

    /** Whether a dead-letter listener of the topic was started. */
    boolean hasDeadLetterListener(String topic) {
        return listeners.values().stream()
                .anyMatch(listener -> listener.kind() == QueueKind.NOTIFICATIONS
                        && listener.topic().equals(topic));
    }

    /** Permits no further runs, and lets the process end. */
    synchronized void close() {
        closed = true;
        letProcessEnd();
    }

    /** Abandons the runs that have not ended. */
    void abandonAll() {
        open.forEach(ListenerRun::abandon);
    }
}
