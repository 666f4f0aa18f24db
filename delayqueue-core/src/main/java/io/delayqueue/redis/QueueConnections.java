package io.delayqueue.redis;

import io.delayqueue.message.DurationText;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.redis.RedisCallException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The queue's own connections to the application's Redis, separate from the application's connections. Thread-safe.
 *
 * <p>They connect to the same server, Sentinels or Cluster with the same credentials, TLS and client options. By
 * default, a command takes at most five seconds, and a broken connection is re-established within a second.
 * Transactions and pipelines of the application never affect them. The first use connects, so that Redis may be
 * unavailable when the application starts. When a connection is replaced, the old one is used until the new one is
 * established, unless the server does not respond on the old one. The old connection is closed when its last command
 * has completed.
 */
public final class QueueConnections implements AutoCloseable {

    private static final Log log = LogFactory.getLog(QueueConnections.class);

    private final LettuceClient client;
    private final Settings settings;
    private final Executor executor;
    private final LongSupplier nanoTime;
    private final AtomicReference<@Nullable ConnectAttempt> current = new AtomicReference<>();
    private final AtomicLong earliestRenewal;
    private volatile String rejection = "";
    /** Replaced connections, which are closed when their last command has completed. */
    private final Set<Link> replaced = ConcurrentHashMap.newKeySet();

    private final DurableCalls durableCalls;

    private volatile @Nullable Link link;
    private volatile boolean closed;

    /**
     * Time limits of the queue's connections.
     *
     * @param commandTimeout command timeout, more than zero; a shorter timeout of the application takes precedence
     * @param reconnectDelay longest delay between two attempts to connect, more than zero
     */
    public record Settings(Duration commandTimeout, Duration reconnectDelay) {

        /**
         * Checks the limits.
         *
         * @throws InvalidOptionException if a limit is zero or negative
         */
        public Settings {
            requireLimit("commandTimeout", commandTimeout);
            requireLimit("reconnectDelay", reconnectDelay);
        }

        private static void requireLimit(String name, Duration value) {
            InvalidOptionException.require(
                    !isUnlimited(value), name, "must be more than zero, but was " + DurationText.of(value));
        }

        /** A command timeout of five seconds and a reconnect delay of one second. */
        public static Settings defaults() {
            return new Settings(Duration.ofSeconds(5), Duration.ofSeconds(1));
        }

        /**
         * The shorter of the application's limit and the command timeout. Zero or less means that there is no limit.
         */
        Duration atMost(Duration application) {
            return isUnlimited(application) || application.compareTo(commandTimeout) > 0 ? commandTimeout : application;
        }

        private static boolean isUnlimited(Duration duration) {
            return duration.isZero() || duration.isNegative();
        }
    }

    /**
     * Derives connections from the application's factory, without connecting. {@link JedisSettings} converts a factory
     * of Jedis.
     *
     * @param application the application's factory, which is neither changed nor closed
     * @param nanoTime monotonic clock in nanoseconds
     * @throws IllegalArgumentException if the factory does not expose its settings
     */
    public QueueConnections(LettuceConnectionFactory application, Settings settings, LongSupplier nanoTime) {
        this(new LettuceClient(application, settings), settings, new ConnectionThreads(), nanoTime);
    }

    /**
     * Like the other constructor, with threads of a factory; for tests.
     *
     * @param threads creates the threads that connect and wait for replicas, the first one at once
     */
    public QueueConnections(
            LettuceConnectionFactory application, Settings settings, ThreadFactory threads, LongSupplier nanoTime) {
        this(new LettuceClient(application, settings), settings, new ConnectionThreads(threads), nanoTime);
    }

    /**
     * Like the public constructors, with another executor than the connections' own threads.
     *
     * @param executor rejects no task
     */
    QueueConnections(LettuceClient client, Settings settings, Executor executor, LongSupplier nanoTime) {
        this.settings = settings;
        this.executor = executor;
        this.nanoTime = nanoTime;
        this.client = client;
        this.durableCalls = new DurableCalls(this, settings.commandTimeout(), nanoTime);
        this.earliestRenewal = new AtomicLong(nanoTime.getAsLong());
    }

    /**
     * Replaces the current connection by a new one, in the background. There is at most one attempt at a time, and at
     * most one attempt within the reconnect delay. Has no effect before the first connection.
     */
    public void reset() {
        Link present = link;
        if (present != null) {
            replace(present);
        }
    }

    /** Replaces a failed connection if it is still the current one. */
    void replace(Link failed) {
        if (link != failed || !mayRenew()) {
            return;
        }
        ConnectAttempt attempt = new ConnectAttempt(failed);
        if (current.compareAndSet(null, attempt)) {
            attempt.submit();
        }
    }

    private boolean mayRenew() {
        long now = nanoTime.getAsLong();
        long earliest = earliestRenewal.get();
        return now - earliest >= 0
                && earliestRenewal.compareAndSet(
                        earliest, now + settings.reconnectDelay().toNanos());
    }

    /**
     * The established connection for a call; null if there is none. A connection on which the server of the call does
     * not respond is not used while it is being replaced: the call would wait for the whole timeout, although the new
     * connection may be ready at once.
     */
    @Nullable
    Link present(ScriptCall call) {
        Link present = link;
        return present != null && present.isUnresponsive(call) && current.get() != null ? null : present;
    }

    /**
     * Connects if there is no connection, on a thread of the connections. The future fails with a {@link
     * RedisCallException}, after the command timeout at the latest.
     */
    CompletableFuture<Link> connect(ScriptCall call) {
        Link present = present(call);
        if (present != null) {
            return CompletableFuture.completedFuture(present);
        }
        CompletableFuture<Link> result = currentAttempt()
                .result
                .copy()
                .orTimeout(settings.commandTimeout().toMillis(), TimeUnit.MILLISECONDS);
        return result.handle((made, failure) -> {
            if (made == null) {
                if (closed) {
                    throw new RedisCallException(
                            Kind.NOT_SENT, "The application is stopping, so the " + call + " was not sent", failure);
                }
                String why = failure instanceof TimeoutException
                        ? "no reply within " + DurationText.of(settings.commandTimeout())
                        : RedisFailure.of(failure).message();
                throw notConnected(why, failure);
            }
            return made;
        });
    }

    /** The masters of a Cluster; empty without a connection. */
    List<ScriptRunner.Master> masters() {
        Link present = link;
        return present == null ? List.of() : present.masters();
    }

    /** Whether Redis is a Cluster. Does not connect. */
    public boolean isClustered() {
        return client.isClustered();
    }

    LettuceClient client() {
        return client;
    }

    DurableCalls durableCalls() {
        return durableCalls;
    }

    Executor executor() {
        return executor;
    }

    private RedisCallException notConnected(String why, @Nullable Throwable cause) {
        return new RedisCallException(
                Kind.NOT_SENT, client.server() + " cannot be reached: " + RedisFailure.explained(why), cause);
    }

    /** The current attempt to connect. All callers share one attempt. */
    private ConnectAttempt currentAttempt() {
        while (true) {
            ConnectAttempt running = current.get();
            if (running != null) {
                return running;
            }
            ConnectAttempt fresh = new ConnectAttempt(null);
            if (current.compareAndSet(null, fresh)) {
                fresh.submit();
                return fresh;
            }
        }
    }

    /**
     * Logs the error with which Redis rejects a connection that was to replace another one. Calls on the old connection
     * only time out, for example after the password was changed.
     */
    private void reportRejection(Throwable failure) {
        RedisFailure cause = RedisFailure.of(NestedExceptionUtils.getMostSpecificCause(failure));
        if (cause.type() == RedisFailure.Type.ERROR_REPLY && !cause.message().equals(rejection)) {
            rejection = cause.message();
            log.warn("The connection to " + client.server() + " does not respond, and new ones are rejected until the"
                    + " error is corrected: " + cause.message());
        }
    }

    private synchronized void install(Link fresh, @Nullable Link old) {
        if (closed) {
            fresh.close();
            throw new IllegalStateException("closed");
        }
        link = fresh;
        rejection = "";
        if (old != null) {
            replaced.add(old);
            Duration pause = settings.commandTimeout().plusSeconds(1);
            CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS, executor)
                    .execute(() -> discard(old));
        }
    }

    private void discard(Link old) {
        if (replaced.remove(old)) {
            old.close();
        }
    }

    /** Closes the queue's own connections. Calls in progress fail. The application's connections stay open. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        durableCalls.close();
        Link present = link;
        link = null;
        replaced.forEach(this::discard);
        if (present != null) {
            present.close();
        }
        client.close();
        if (executor instanceof ConnectionThreads threads) {
            threads.close();
        }
    }

    /** One attempt to connect, which runs once. */
    private final class ConnectAttempt implements Runnable {

        private final @Nullable Link old;
        private final CompletableFuture<Link> result = new CompletableFuture<>();

        ConnectAttempt(@Nullable Link old) {
            this.old = old;
        }

        void submit() {
            try {
                executor.execute(this);
            } catch (Error e) { // the heap is full: the next call tries again
                end(null, e);
            }
        }

        @Override
        public void run() {
            try {
                Link present = link;
                if (present != null && present != old) {
                    end(present, null);
                    return;
                }
                if (closed) {
                    throw new IllegalStateException("closed");
                }
                Link fresh = client.connect();
                install(fresh, old);
                end(fresh, null);
            } catch (RuntimeException | Error e) {
                end(null, e);
            }
        }

        private void end(@Nullable Link made, @Nullable Throwable failure) {
            current.compareAndSet(this, null);
            if (made != null) {
                result.complete(made);
            } else if (failure != null) {
                if (old != null) {
                    reportRejection(failure);
                }
                result.completeExceptionally(failure);
            }
        }
    }
}
