package io.delayqueue.redis;

import io.delayqueue.message.Shard;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Hears the signals of one namespace by one subscription, on a connection of its own. Thread-safe; can be started again
 * after it was stopped.
 *
 * <p>Starting never fails: while Redis is away, it is tried each second. A connection that is open but dead is seen by
 * the node's own canary, which does not come back.
 */
public final class RedisSignals implements SignalSource, AutoCloseable {

    private static final Log log = LogFactory.getLog(RedisSignals.class);

    private static final Duration FIRST_RETRY = Duration.ofMillis(100);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private static final int COMPLAIN_AT = 2;

    /** Two whole intervals: the canary of the last heartbeat may still be on its way. */
    private static final int TOLERATED_SILENCE = 2;

    private final QueueConnections connections;
    private final KeySpace keys;
    private final Executor executor;
    private final String node;
    private final Duration validity;
    private final LongSupplier nanoTime;

    private final Map<String, List<SignalListener>> listeners = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable SignalSubscription> current = new AtomicReference<>();
    private final AtomicReference<@Nullable Long> canaryHeard = new AtomicReference<>();
    private final AtomicInteger silentHeartbeats = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();

    /**
     * For one node. Nothing is subscribed before {@link #start()}.
     *
     * @param connections which go on belonging to the caller
     * @param executor connects; with a client library that can only block, it gives one thread to the subscription
     * @param node whose canary confirms that signals arrive
     * @param validity how long a canary confirms, more than two heartbeats
     * @param nanoTime monotonic time, ns
     */
    public RedisSignals(
            QueueConnections connections,
            KeySpace keys,
            Executor executor,
            String node,
            Duration validity,
            LongSupplier nanoTime) {
        this.connections = connections;
        this.keys = keys;
        this.executor = executor;
        this.node = node;
        this.validity = validity;
        this.nanoTime = nanoTime;
    }

    /** Begins to listen, in the background. Does nothing if it was started already. */
    public void start() {
        SignalSubscription first = subscription();
        if (current.compareAndSet(null, first)) {
            submit(() -> open(first));
        }
    }

    /** Ends the subscription. Listeners stay registered. */
    public void stop() {
        SignalSubscription last = current.getAndSet(null);
        canaryHeard.set(null);
        silentHeartbeats.set(0);
        if (last != null) {
            last.close();
        }
    }

    /** The same as {@link #stop()}. */
    @Override
    public void close() {
        stop();
    }

    @Override
    public Subscription listen(Shard shard, SignalListener listener) {
        String lane = new String(keys.of(shard).signal(), StandardCharsets.UTF_8);
        listeners.merge(lane, List.of(listener), RedisSignals::joined);
        return () -> listeners.computeIfPresent(lane, (key, present) -> without(present, listener));
    }

    @Override
    public boolean confirmed() {
        Long heard = canaryHeard.get();
        return heard != null && nanoTime.getAsLong() - heard <= validity.toNanos();
    }

    /**
     * To be called after each heartbeat that Redis answered. When canaries have not come back for two heartbeats, the
     * subscription is given up for a new one, in the background.
     */
    public void renewIfUnconfirmed() {
        if (silentHeartbeats.incrementAndGet() <= TOLERATED_SILENCE) {
            return;
        }
        silentHeartbeats.set(0);
        SignalSubscription deaf = current.get();
        if (deaf != null) {
            SignalSubscription fresh = subscription();
            if (current.compareAndSet(deaf, fresh)) {
                log.debug("The subscription to signals is silent: subscribing anew");
                submit(() -> open(fresh));
                submit(deaf::close);
            }
        }
    }

    private SignalSubscription subscription() {
        byte[] channel = keys.signalChannel().getBytes(StandardCharsets.UTF_8);
        return new SignalSubscription(connections.driver(), channel, this::dispatch, this::resubscribed);
    }

    private void open(SignalSubscription subscription) {
        if (current.get() != subscription) {
            return;
        }
        try {
            if (subscription.open()) {
                return;
            }
            retry(subscription, "the subscription ended");
        } catch (RuntimeException e) {
            retry(subscription, Verdict.of(e).sentence());
        }
    }

    private void retry(SignalSubscription lost, String why) {
        lost.close();
        SignalSubscription next = subscription();
        if (!current.compareAndSet(lost, next)) {
            return;
        }
        int failed = failures.incrementAndGet();
        if (failed == COMPLAIN_AT) {
            log.warn(
                    "Signals cannot be heard, so that messages may come up to a second late. Trying again each second: "
                            + why);
        }
        Duration pause = failed == 1 ? FIRST_RETRY : RETRY;
        CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS, executor)
                .execute(() -> open(next));
    }

    private void submit(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("Not subscribing to signals: the executor was shut down");
        }
    }

    private void resubscribed() {
        if (failures.getAndSet(0) >= COMPLAIN_AT) {
            log.info("Signals are heard again");
        }
        tellAll(SignalListener::resubscribed);
    }

    private void tellAll(Consumer<SignalListener> fact) {
        for (List<SignalListener> lane : listeners.values()) {
            tell(lane, fact);
        }
    }

    private void dispatch(byte[] signal) {
        String[] parts = new String(signal, StandardCharsets.UTF_8).split(" ", 3);
        if (parts.length == 2 && parts[0].equals("m") && !parts[1].equals(node)) {
            tellAll(SignalListener::membersChanged);
        }
        if (parts.length < 3) {
            return;
        }
        switch (parts[0]) {
            case "h" -> headAt(parts[1], parts[2]);
            case "s" -> tell(listeners.get(parts[1]), listener -> listener.surplus(parts[2]));
            case "c" -> canary(parts[1]);
            default -> {
                // Of a later version, or somebody else's.
            }
        }
    }

    private void headAt(String lane, String due) {
        try {
            long dueMillis = Long.parseLong(due);
            tell(listeners.get(lane), listener -> listener.headAt(dueMillis));
        } catch (NumberFormatException e) {
            log.debug("Not a time in a signal: " + due);
        }
    }

    private void canary(String from) {
        if (from.equals(node)) {
            canaryHeard.set(nanoTime.getAsLong());
            silentHeartbeats.set(0);
        }
    }

    private static void tell(@Nullable List<SignalListener> lane, Consumer<SignalListener> fact) {
        if (lane == null) {
            return;
        }
        for (SignalListener listener : lane) {
            try {
                fact.accept(listener);
            } catch (RuntimeException e) {
                log.warn("A listener to signals failed", e);
            }
        }
    }

    private static List<SignalListener> joined(List<SignalListener> present, List<SignalListener> added) {
        List<SignalListener> all = new ArrayList<>(present);
        all.addAll(added);
        return List.copyOf(all);
    }

    private static @Nullable List<SignalListener> without(List<SignalListener> present, SignalListener gone) {
        List<SignalListener> rest = new ArrayList<>(present);
        rest.remove(gone);
        return rest.isEmpty() ? null : List.copyOf(rest);
    }
}
