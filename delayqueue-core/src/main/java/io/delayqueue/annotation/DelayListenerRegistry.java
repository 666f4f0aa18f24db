package io.delayqueue.annotation;

import io.delayqueue.Internal;
import io.delayqueue.annotation.DelayListenerEndpoint.Handling.OfMessages;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Schedule;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.Assert;

/**
 * The application's listeners by id. It starts and stops them with the application, and individually on request.
 * Thread-safe.
 *
 * <p>A start after a stop starts the listeners that ran at the stop.
 */
public class DelayListenerRegistry implements SmartLifecycle {

    /** Late start and early stop, as with the listener containers of other Spring messaging projects. */
    public static final int PHASE = Integer.MAX_VALUE - 100;

    private static final Log log = LogFactory.getLog(DelayListenerRegistry.class);

    /** Time after the drain time within which a listener must report its stop. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final boolean autoStartup;
    private final Map<String, ManagedListener> listeners = new LinkedHashMap<>();
    private final Map<String, Origin> origins = new HashMap<>();
    private final Map<String, Schedule> schedules = new LinkedHashMap<>();
    private final PayloadTypes payloadTypes = new PayloadTypes();
    private final Set<String> toStart = new LinkedHashSet<>();
    private boolean running;

    /**
     * Creates an empty registry.
     *
     * @param autoStartup whether listeners without a value of their own start with the application
     */
    public DelayListenerRegistry(boolean autoStartup) {
        this.autoStartup = autoStartup;
    }

    /**
     * Adds a listener. It starts with the others, or immediately if the registry is running.
     *
     * @throws InvalidListenerException if the id is taken, the declaration is invalid, or another listener of the topic takes
     *     payloads of an unrelated type
     */
    public ManagedListener register(DelayListenerEndpoint endpoint, DelayListenerContainerFactory factory) {
        Assert.notNull(endpoint, "'endpoint' must not be null");
        Assert.notNull(factory, "'factory' must not be null");
        synchronized (listeners) {
            Origin other = origins.get(endpoint.id());
            if (other != null) {
                throw endpoint.origin()
                        .invalid(
                                "The id '" + Printable.of(endpoint.id()) + "' is already used by the listener of "
                                        + other.describe() + ".",
                                "Give one of them another id.");
            }
            payloadTypes.add(endpoint);
            Schedule schedule = schedule(endpoint);
            ManagedListener listener = create(endpoint, factory);
            logSharedTopic(endpoint, listener);
            if (schedule != null) {
                schedules.put(endpoint.id(), schedule);
            }
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

    /** Each message goes to one of the listeners, which surprises those who expect a copy for each. */
    private void logSharedTopic(DelayListenerEndpoint endpoint, ManagedListener added) {
        origins.forEach((id, other) -> {
            ManagedListener listener = listeners.get(id);
            if (listener != null && listener.topic().equals(added.topic()) && listener.kind() == added.kind()) {
                log.info("Topic " + Printable.of(endpoint.topic()) + " is shared by two listeners: "
                        + other.describe() + " and "
                        + endpoint.origin().describe()
                        + ". Each message is handled by one of them");
            }
        });
    }

    /** The types as which the listeners of a topic read payloads: the same list until they change. */
    @Internal
    public List<Type> payloadTypes(String topic) {
        Assert.notNull(topic, "'topic' must not be null");
        return payloadTypes.of(topic);
    }

    private static @Nullable Schedule schedule(DelayListenerEndpoint endpoint) {
        Schedule schedule;
        try {
            schedule = endpoint.schedule();
        } catch (IllegalArgumentException e) {
            throw endpoint.origin().invalid("Its schedule is wrong: " + e.getMessage() + ".", "Correct it.", e);
        }
        if (schedule != null
                && !(endpoint.handling() instanceof OfMessages messages && messages.payloadType() == byte[].class)) {
            throw endpoint.origin()
                    .invalid(
                            "It has cron, but its handler takes a payload or dead letters.",
                            "Take a Delivery, headers or nothing; or remove cron, and put a Schedule with a payload.");
        }
        return schedule;
    }

    /** The schedules of the listeners. */
    @Internal
    public List<Schedule> schedules() {
        synchronized (listeners) {
            return List.copyOf(schedules.values());
        }
    }

    private static ManagedListener create(DelayListenerEndpoint endpoint, DelayListenerContainerFactory factory) {
        try {
            return factory.createContainer(endpoint);
        } catch (IllegalArgumentException e) {
            throw endpoint.origin()
                    .invalid(
                            "Its topic or one of its options is wrong: " + e.getMessage() + ".",
                            "Correct the value in the declaration, or in delayqueue.topics["
                                    + Printable.of(endpoint.topic())
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

    /** The listener of an id; empty if it does not exist. */
    public Optional<ManagedListener> getContainer(String id) {
        Assert.notNull(id, "'id' must not be null");
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
     * @throws IllegalArgumentException if no listener has this id
     */
    public void start(String id) {
        required(id).start();
    }

    /**
     * Stops one listener.
     *
     * @return completes when the listener has stopped
     * @throws IllegalArgumentException if no listener has this id
     */
    public CompletableFuture<Void> stop(String id) {
        return required(id).stop();
    }

    /**
     * Pauses one listener of this process.
     *
     * @throws IllegalArgumentException if no listener has this id
     */
    public void pause(String id) {
        required(id).pause();
    }

    /**
     * Ends the pause of one listener by {@link #pause}.
     *
     * @throws IllegalArgumentException if no listener has this id
     */
    public void resume(String id) {
        required(id).resume();
    }

    /**
     * Removes listeners whose context closes. Stops them and waits until each has stopped, at most for its drain time.
     * Ids that are not registered are ignored.
     */
    void remove(Collection<String> ids) {
        Map<String, ManagedListener> removed = new LinkedHashMap<>();
        synchronized (listeners) {
            for (String id : ids) {
                ManagedListener listener = listeners.get(id);
                if (listener != null) {
                    removed.put(id, listener);
                }
                toStart.remove(id);
            }
        }
        CompletableFuture.allOf(removed.entrySet().stream()
                        .map(each -> stopOne(each.getKey(), each.getValue()))
                        .toArray(CompletableFuture[]::new))
                .join();
        synchronized (listeners) {
            listeners.keySet().removeAll(removed.keySet());
            origins.keySet().removeAll(removed.keySet());
            schedules.keySet().removeAll(removed.keySet());
            payloadTypes.remove(removed.keySet());
        }
        removed.values().forEach(ManagedListener::remove);
    }

    private ManagedListener required(String id) {
        return getContainer(id)
                .orElseThrow(
                        () -> new IllegalArgumentException("There is no listener '" + Printable.of(id) + "', there are "
                                + getListenerIds().stream().map(Printable::of).toList()));
    }

    @Override
    public void start() {
        synchronized (listeners) {
            if (!running) {
                running = true;
                // those of dead letters first: other listeners may dead-letter messages from now on
                toStart.stream()
                        .map(this::required)
                        .sorted(Comparator.comparing(ManagedListener::kind).reversed())
                        .forEach(ManagedListener::start);
            }
        }
    }

    /**
     * Stops all listeners concurrently and waits until each has stopped, at most for the longest {@link
     * io.delayqueue.listener.ListenerOptions#drainTime() drain time}.
     *
     * <p>{@link #stop(Runnable)}, which the application context calls, waits as well, because the wait of the context
     * is not sufficient: it counts every bean that stops in a phase, including beans that depend on this one, and may
     * end while handlers run. Beans of the same phase that follow this one stop after its listeners.
     */
    @Override
    public void stop() {
        stopAll().join();
    }

    private CompletableFuture<Void> stopAll() {
        List<CompletableFuture<Void>> stops = new ArrayList<>();
        synchronized (listeners) {
            if (running) {
                running = false;
                toStart.clear();
                listeners.values().stream()
                        .filter(ManagedListener::isRunning)
                        .map(ManagedListener::id)
                        .forEach(toStart::add);
            }
            listeners.forEach((id, listener) -> stops.add(stopOne(id, listener)));
        }
        return CompletableFuture.allOf(stops.toArray(CompletableFuture[]::new));
    }

    private static CompletableFuture<Void> stopOne(String id, ManagedListener listener) {
        Duration most = listener.options().drainTime().plus(GRACE);
        return listener.stop()
                .copy()
                .orTimeout(most.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(failure -> {
                    log.warn("Listener " + Printable.of(id) + " failed to stop", failure);
                    return null;
                });
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
