package io.delayqueue.redis;

import io.delayqueue.message.Shard;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Receives the signals of one namespace through one subscription, on a connection of its own. Thread-safe; can be
 * started again after a stop.
 *
 * <p>Starting never fails: while Redis is unavailable, a new attempt follows each second. If the connection is open but
 * does not respond, the node's own canaries do not arrive, and the subscription is replaced. Each attempt to subscribe
 * has a number. An attempt that is not the latest one ends.
 *
 * <p>Spring's listener container is not used: it cannot start while Redis is unavailable, and it logs a stack trace for
 * each attempt to reconnect.
 */
public final class RedisSignals implements SignalSource, MessageListener, SubscriptionListener, AutoCloseable {

    private static final Log log = LogFactory.getLog(RedisSignals.class);

    private static final Duration FIRST_RETRY = Duration.ofMillis(100);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private static final int FAILURES_TO_LOG = 2;

    /** Two whole intervals, because the canary of the last heartbeat may still arrive. */
    private static final int TOLERATED_HEARTBEATS = 2;

    private final QueueConnections connections;
    private final KeySpace keys;
    private final String node;
    private final Duration validity;
    private final LongSupplier nanoTime;

    /** By the signal name of their queue. */
    private final Map<String, List<SignalListener>> listeners = new ConcurrentHashMap<>();

    private final AtomicReference<@Nullable Long> lastCanary = new AtomicReference<>();
    private final AtomicInteger heartbeatsWithoutCanary = new AtomicInteger();
    private final AtomicInteger unconfirmed = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile Runnable onChange = () -> {};

    private boolean started;
    private volatile long latest;
    private volatile long openedAt;
    private @Nullable LettuceConnectionFactory factory;
    private @Nullable RedisConnection connection;

    /**
     * Creates the signals of one node. {@link #start()} subscribes.
     *
     * @param connections the connections; the caller closes them
     * @param node name of the node whose canary confirms that signals arrive
     * @param validity time for which a canary confirms signals, more than two heartbeat intervals
     * @param nanoTime monotonic clock in nanoseconds
     */
    public RedisSignals(
            QueueConnections connections, KeySpace keys, String node, Duration validity, LongSupplier nanoTime) {
        this.connections = connections;
        this.keys = keys;
        this.node = node;
        this.validity = validity;
        this.nanoTime = nanoTime;
    }

    /** Subscribes in the background. Has no effect if the subscription was already started. */
    @Override
    public void start() {
        long first;
        synchronized (this) {
            if (started) {
                return;
            }
            started = true;
            first = ++latest;
        }
        openLater(first, Duration.ZERO);
    }

    /** Ends the subscription. Listeners stay registered. */
    @Override
    public void stop() {
        Runnable closing;
        synchronized (this) {
            started = false;
            latest++;
            closing = detach();
        }
        lastCanary.set(null);
        heartbeatsWithoutCanary.set(0);
        closing.run();
    }

    @Override
    public void onChange(Runnable task) {
        onChange = task;
    }

    /** Like {@link #stop()}. */
    @Override
    public void close() {
        stop();
    }

    @Override
    public Subscription listen(Shard shard, SignalListener listener) {
        String queue = keys.signalOf(shard);
        listeners.merge(queue, List.of(listener), RedisSignals::joined);
        return () -> listeners.computeIfPresent(queue, (key, present) -> without(present, listener));
    }

    @Override
    public boolean confirmed() {
        Long received = lastCanary.get();
        return received != null && isWithinValidity(received);
    }

    private boolean isWithinValidity(long since) {
        return nanoTime.getAsLong() - since <= validity.toNanos();
    }

    /**
     * If no canary has arrived for more than two heartbeats and for its validity, the subscription is replaced by a new
     * one, in the background. The time alone may have passed while the process stood still, and heartbeats may follow one
     * another at once.
     */
    @Override
    public void afterHeartbeat() {
        if (heartbeatsWithoutCanary.incrementAndGet() <= TOLERATED_HEARTBEATS
                || confirmed()
                || isWithinValidity(openedAt)) {
            return;
        }
        heartbeatsWithoutCanary.set(0);
        long next;
        Runnable closing;
        synchronized (this) {
            if (!started) {
                return;
            }
            next = ++latest;
            closing = detach();
        }
        if (unconfirmed.incrementAndGet() == FAILURES_TO_LOG) {
            log.warn(
                    "This node does not receive the signals that it publishes. Messages may be delivered late, by up to"
                            + " delayqueue.engine.unconfirmed-sweep. Check that the Redis user may publish to the channel "
                            + keys.signalChannel() + ". The subscription is replaced until signals arrive.");
        }
        openLater(next, Duration.ZERO);
        connections.executor().execute(closing);
    }

    /** Subscribes. The subscription then stays active and renews itself. */
    private void open(long attempt) {
        if (attempt != latest) {
            return;
        }
        openedAt = nanoTime.getAsLong();
        try {
            RedisConnection opened = connect(attempt);
            if (opened != null) {
                opened.subscribe(this, keys.signalChannel().getBytes(StandardCharsets.UTF_8));
            }
        } catch (RuntimeException | Error e) {
            retry(attempt, RedisFailure.of(e).message());
        }
    }

    /** Connects; null if the attempt is no longer the latest one. */
    private @Nullable RedisConnection connect(long attempt) {
        LettuceConnectionFactory made = connections.client().forSignals();
        synchronized (this) {
            if (attempt != latest) {
                made.destroy();
                return null;
            }
            factory = made;
        }
        RedisConnection opened = made.getConnection();
        synchronized (this) {
            if (attempt != latest) {
                opened.close();
                return null;
            }
            connection = opened;
        }
        return opened;
    }

    private void retry(long lost, String why) {
        long next;
        Runnable closing;
        synchronized (this) {
            if (lost != latest) {
                return;
            }
            next = ++latest;
            closing = detach();
        }
        closing.run();
        int failed = failures.incrementAndGet();
        if (failed == FAILURES_TO_LOG) {
            log.warn("Cannot subscribe to signals: " + why + ". Messages may be delivered late, by up to"
                    + " delayqueue.engine.unconfirmed-sweep. A new attempt follows each second.");
        }
        openLater(next, failed == 1 ? FIRST_RETRY : RETRY);
    }

    private void openLater(long attempt, Duration pause) {
        CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS, connections.executor())
                .execute(() -> open(attempt));
    }

    /** Returns a task that closes the connection of the last attempt, without waiting for the server. */
    private synchronized Runnable detach() {
        LettuceConnectionFactory made = factory;
        RedisConnection opened = connection;
        factory = null;
        connection = null;
        return () -> {
            try {
                org.springframework.data.redis.connection.Subscription subscription =
                        opened == null ? null : opened.getSubscription();
                if (subscription != null) {
                    subscription.close();
                }
            } catch (RuntimeException e) {
                // The connection is already broken.
            } finally {
                if (made != null) {
                    made.destroy();
                }
            }
        };
    }

    @Override
    public void onMessage(Message message, byte @Nullable [] pattern) {
        dispatch(message.getBody());
    }

    @Override
    public void onChannelSubscribed(byte[] channel, long count) {
        if (failures.getAndSet(0) >= FAILURES_TO_LOG) {
            log.info("Subscribed to signals again");
        }
        notifyAllOf(SignalListener::resubscribed);
        onChange.run();
    }

    private void notifyAllOf(Consumer<SignalListener> event) {
        for (List<SignalListener> ofQueue : listeners.values()) {
            notify(ofQueue, event);
        }
    }

    private void dispatch(byte[] signal) {
        String[] parts = new String(signal, StandardCharsets.UTF_8).split(" ", 3);
        if (parts.length == 2) {
            dispatch(parts[0], parts[1]);
        } else if (parts.length == 3) {
            dispatch(parts[0], parts[1], parts[2]);
        }
    }

    private void dispatch(String kind, String from) {
        if (kind.equals("c") && from.equals(node)) {
            lastCanary.set(nanoTime.getAsLong());
            heartbeatsWithoutCanary.set(0);
            if (unconfirmed.getAndSet(0) >= FAILURES_TO_LOG) {
                log.info("Signals arrive again");
            }
        } else if (kind.equals("m") && !from.equals(node)) {
            onChange.run();
        }
    }

    private void dispatch(String kind, String queue, String value) {
        switch (kind) {
            case "h" -> headAt(queue, value);
            case "s" -> notify(listeners.get(queue), listener -> listener.dueMessagesLeft(value));
            case "r" -> notify(listeners.get(queue), listener -> listener.cancelledOrReplaced(value));
            default -> {
                // A signal of a newer version or of a foreign client.
            }
        }
    }

    private void headAt(String queue, String due) {
        try {
            long dueMillis = Long.parseLong(due);
            notify(listeners.get(queue), listener -> listener.headAt(dueMillis));
        } catch (NumberFormatException e) {
            log.debug("Ignoring a signal with an invalid due time: " + due);
        }
    }

    private static void notify(@Nullable List<SignalListener> ofQueue, Consumer<SignalListener> event) {
        if (ofQueue == null) {
            return;
        }
        for (SignalListener listener : ofQueue) {
            try {
                event.accept(listener);
            } catch (RuntimeException | Error e) {
                log.warn("A signal listener failed", e);
            }
        }
    }

    private static List<SignalListener> joined(List<SignalListener> present, List<SignalListener> added) {
        List<SignalListener> all = new ArrayList<>(present);
        all.addAll(added);
        return List.copyOf(all);
    }

    private static @Nullable List<SignalListener> without(List<SignalListener> present, SignalListener removed) {
        List<SignalListener> rest = new ArrayList<>(present);
        rest.remove(removed);
        return rest.isEmpty() ? null : List.copyOf(rest);
    }
}
