package io.delayqueue.annotation;

import io.delayqueue.listener.ManagedListener;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The application's listeners by id: starts them with the application, stops them with it, all at once, and one by one
 * in between. Thread-safe.
 *
 * <p>Started anew after a stop, it starts those that ran then.
 */
public final class DelayListenerRegistry implements SmartLifecycle {

    /** Starts late and stops early, as the consumers of other brokers do. */
    public static final int PHASE = Integer.MAX_VALUE - 100;

    private static final Log log = LogFactory.getLog(DelayListenerRegistry.class);

    private final boolean autoStartup;
    private final Map<String, ManagedListener> listeners = new LinkedHashMap<>();
    private final Map<String, Origin> origins = new HashMap<>();
    private final Set<String> toStart = new LinkedHashSet<>();
    private boolean running;

    /**
     * Without listeners yet.
     *
     * @param autoStartup whether listeners that don't say so themselves start with the application
     */
    public DelayListenerRegistry(boolean autoStartup) {
        this.autoStartup = autoStartup;
    }

    /**
     * Adds a listener; it is started with the others, or at once if they were.
     *
     * @throws InvalidListenerException if its id is taken, or it can't be run as it was declared
     */
    public ManagedListener register(DelayListenerEndpoint endpoint, DelayListenerContainerFactory factory) {
        synchronized (listeners) {
            Origin other = origins.get(endpoint.id());
            if (other != null) {
                throw endpoint.origin()
                        .invalid(
                                "Another listener has the id '" + endpoint.id() + "' too: that of " + other.describe()
                                        + ".",
                                "Give one of them another id.");
            }
            ManagedListener listener = create(endpoint, factory);
            listeners.put(endpoint.id(), listener);
            origins.put(endpoint.id(), endpoint.origin());
            if (endpoint.autoStartup() == null ? autoStartup : endpoint.autoStartup()) {
                toStart.add(endpoint.id());
                if (running) {
                    listener.start();
                }
            }
            return listener;
        }
    }

    private static ManagedListener create(DelayListenerEndpoint endpoint, DelayListenerContainerFactory factory) {
        try {
            return factory.createContainer(endpoint);
        } catch (IllegalArgumentException e) {
            throw endpoint.origin()
                    .invalid(
                            "It can't be run as it is declared: " + e.getMessage() + ".",
                            "Correct the value in the declaration, or in delayqueue.topics[" + endpoint.topic()
                                    + "] or delayqueue.listener if it comes from there.",
                            e);
        }
    }

    /** The ids, in the order of registration. */
    public Set<String> getListenerIds() {
        synchronized (listeners) {
            return new LinkedHashSet<>(listeners.keySet());
        }
    }

    /** The listener of an id, if there is one. */
    public Optional<ManagedListener> getContainer(String id) {
        synchronized (listeners) {
            return Optional.ofNullable(listeners.get(id));
        }
    }

    /** All listeners, in the order of registration. */
    public Collection<ManagedListener> getContainers() {
        synchronized (listeners) {
            return List.copyOf(listeners.values());
        }
    }

    /**
     * Starts one listener.
     *
     * @throws IllegalArgumentException if there is none of that id
     */
    public void start(String id) {
        required(id).start();
    }

    /**
     * Stops one listener.
     *
     * @return ends when it has stopped
     * @throws IllegalArgumentException if there is none of that id
     */
    public CompletableFuture<Void> stop(String id) {
        return required(id).stop();
    }

    /**
     * Pauses one listener.
     *
     * @throws IllegalArgumentException if there is none of that id
     */
    public void pause(String id) {
        required(id).pause();
    }

    /**
     * Ends the pause of one listener.
     *
     * @throws IllegalArgumentException if there is none of that id
     */
    public void resume(String id) {
        required(id).resume();
    }

    private ManagedListener required(String id) {
        return getContainer(id)
                .orElseThrow(() -> new IllegalArgumentException(
                        "There is no listener '" + id + "', there are " + getListenerIds()));
    }

    @Override
    public void start() {
        synchronized (listeners) {
            if (!running) {
                running = true;
                toStart.forEach(id -> required(id).start());
            }
        }
    }

    @Override
    public void stop() {
        stopAll().join();
    }

    @Override
    public void stop(Runnable callback) {
        CompletableFuture<Void> unused = stopAll().whenComplete((nothing, failure) -> callback.run());
    }

    private CompletableFuture<Void> stopAll() {
        List<CompletableFuture<Void>> stops = new ArrayList<>();
        synchronized (listeners) {
            if (running) {
                running = false;
                toStart.clear();
                listeners.forEach((id, listener) -> {
                    if (listener.isRunning()) {
                        toStart.add(id);
                    }
                });
            }
            listeners.forEach((id, listener) -> stops.add(stopOne(id, listener)));
        }
        return CompletableFuture.allOf(stops.toArray(CompletableFuture[]::new));
    }

    private static CompletableFuture<Void> stopOne(String id, ManagedListener listener) {
        try {
            return listener.stop().exceptionally(failure -> {
                log.warn("Listener " + id + " failed to stop", failure);
                return null;
            });
        } catch (RuntimeException e) {
            log.warn("Listener " + id + " failed to stop", e);
            return CompletableFuture.completedFuture(null);
        }
    }

    @Override
    public boolean isRunning() {
        synchronized (listeners) {
            return running;
        }
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
