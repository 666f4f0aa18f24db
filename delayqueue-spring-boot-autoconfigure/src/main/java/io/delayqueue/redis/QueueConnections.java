package io.delayqueue.redis;

import io.delayqueue.redis.RedisCallException.Kind;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The queue's own connections to the application's Redis, apart from the application's. Thread-safe.
 *
 * <p>They go to the same server, Sentinels or Cluster with the same credentials, TLS and client options, but a command
 * takes at most five seconds, a broken connection is dialled again within a second, and nothing that the application
 * does on its own connections (a transaction, a pipeline) touches them. Nothing is dialled before the first use, so
 * Redis may be away when the application starts. When a connection is given up for a new one, the old one is used until
 * the new one stands, unless nothing is answered on it, and closed when its last command has ended.
 *
 * <p>A factory that is neither Lettuce's nor Jedis' own, or does not tell its settings, is used as it is: then none of
 * this holds, and a line is logged that says so.
 */
public final class QueueConnections implements AutoCloseable {

    private static final Log log = LogFactory.getLog(QueueConnections.class);

    private final Driver driver;
    private final Settings settings;
    private final Executor executor;
    private final LongSupplier nanoTime;
    private final AtomicReference<@Nullable Dial> dialling = new AtomicReference<>();
    private final AtomicLong earliestRenewal;
    private final Set<Link> retired = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Link link;
    private volatile boolean closed;

    /**
     * Limits of the queue's connections.
     *
     * @param commandTimeout how long a command may take; the application's own time-out if that is shorter
     * @param reconnectDelay the longest pause between two attempts to connect
     */
    public record Settings(Duration commandTimeout, Duration reconnectDelay) {

        /** Checks the range. */
        public Settings {
            requireLimit("commandTimeout", commandTimeout);
            requireLimit("reconnectDelay", reconnectDelay);
        }

        private static void requireLimit(String name, Duration value) {
            if (isUnlimited(value)) {
                throw new IllegalArgumentException(name + " is more than zero, but is " + value);
            }
        }

        /** Five seconds for a command, a second between attempts to connect. */
        public static Settings defaults() {
            return new Settings(Duration.ofSeconds(5), Duration.ofSeconds(1));
        }

        /** The application's limit where it is shorter; zero and less mean that it has none. */
        Duration atMost(Duration application) {
            return isUnlimited(application) || application.compareTo(commandTimeout) > 0 ? commandTimeout : application;
        }

        private static boolean isUnlimited(Duration duration) {
            return duration.isZero() || duration.isNegative();
        }
    }

    /**
     * Derives from the application's factory, without connecting.
     *
     * @param application which is neither changed nor closed
     * @param executor dials, and runs what the client library can do by blocking only
     * @param nanoTime monotonic time, ns
     */
    public QueueConnections(
            RedisConnectionFactory application, Settings settings, Executor executor, LongSupplier nanoTime) {
        this.settings = settings;
        this.executor = executor;
        this.nanoTime = nanoTime;
        this.driver = derive(application, settings);
        this.earliestRenewal = new AtomicLong(nanoTime.getAsLong());
    }

    private static Driver derive(RedisConnectionFactory application, Settings settings) {
        String type = application.getClass().getName();
        try {
            if (type.equals("org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory")) {
                return LettuceDriver.derivedFrom(application, settings);
            }
            if (type.equals("org.springframework.data.redis.connection.jedis.JedisConnectionFactory")) {
                return JedisDriver.derivedFrom(application, settings);
            }
            warn(type, "it is none of Spring Data Redis' own");
        } catch (RuntimeException e) {
            warn(type, e.toString());
        }
        return new ApplicationDriver(application);
    }

    private static void warn(String type, String why) {
        log.warn("The delay queue shares the application's Redis connections, because it cannot derive its own from "
                + type + " (" + why + "). Time-outs and reconnecting are the application's: sends may block for as long"
                + " and deliveries come late after an outage. A send inside the application's MULTI is refused.");
    }

    /**
     * Gives up the present connection for a new one, in the background. At most one attempt at a time, and one within
     * the reconnect delay. Does nothing as long as nothing was connected.
     */
    public void reset() {
        Link present = link;
        if (present != null) {
            replace(present);
        }
    }

    /** The same, if this one still is the present one. */
    void replace(Link failed) {
        if (link != failed || !mayRenew()) {
            return;
        }
        Dial dial = new Dial(failed);
        if (dialling.compareAndSet(null, dial)) {
            submit(dial);
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
     * Waits until Redis is connected, at most as long as a command may take.
     *
     * @throws RedisCallException if it is not
     */
    Link connected(ScriptCall call) {
        Link present = present(call);
        if (present != null) {
            return present;
        }
        Dial dial = dial();
        dial.run();
        try {
            return dial.result.get(settings.commandTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw notConnected(Verdict.of(e.getCause()).sentence(), e.getCause());
        } catch (TimeoutException e) {
            throw notConnected("no answer within " + settings.commandTimeout(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw notConnected("interrupted", e);
        }
    }

    /**
     * The connection that stands for a call, if one does. One that is being replaced because the call's server answers
     * nothing on it does not count: the call would wait for the whole time-out, while the new one may stand in a moment.
     */
    @Nullable
    Link present(ScriptCall call) {
        Link present = link;
        return present != null && present.isSilent(call) && dialling.get() != null ? null : present;
    }

    /** Connects without blocking the caller; fails with a {@link RedisCallException}. */
    CompletableFuture<Link> connect(ScriptCall call) {
        Link present = present(call);
        if (present != null) {
            return CompletableFuture.completedFuture(present);
        }
        Dial dial = dial();
        submit(dial);
        return dial.result.handle((made, failure) -> {
            if (made == null) {
                throw notConnected(Verdict.of(failure).sentence(), failure);
            }
            return made;
        });
    }

    Driver driver() {
        return driver;
    }

    Executor executor() {
        return executor;
    }

    private static RedisCallException notConnected(String why, @Nullable Throwable cause) {
        return new RedisCallException(Kind.NOT_SENT, "Redis cannot be reached: " + why, cause);
    }

    /** Whoever comes first dials; the others wait for the same. */
    private Dial dial() {
        while (true) {
            Dial running = dialling.get();
            if (running != null) {
                return running;
            }
            Dial fresh = new Dial(null);
            if (dialling.compareAndSet(null, fresh)) {
                return fresh;
            }
        }
    }

    private void submit(Dial dial) {
        try {
            executor.execute(dial);
        } catch (RejectedExecutionException e) {
            dial.fail(e);
        }
    }

    private synchronized void install(Link fresh, @Nullable Link old) {
        if (closed) {
            driver.release(fresh.factory());
            throw new IllegalStateException("closed");
        }
        link = fresh;
        if (old != null) {
            retired.add(old);
            long millis = settings.commandTimeout().plusSeconds(1).toMillis();
            CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, executor)
                    .execute(() -> discard(old));
        }
    }

    private void discard(Link old) {
        if (retired.remove(old)) {
            driver.release(old.factory());
        }
    }

    /** Closes the queue's own connections; calls under way fail. The application's are left alone. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        Link present = link;
        link = null;
        retired.forEach(this::discard);
        if (present != null) {
            driver.release(present.factory());
        }
        driver.close();
    }

    /** One attempt to connect, made by the first thread that runs it. */
    private final class Dial implements Runnable {

        private final @Nullable Link old;
        private final AtomicBoolean taken = new AtomicBoolean();
        private final CompletableFuture<Link> result = new CompletableFuture<>();

        Dial(@Nullable Link old) {
            this.old = old;
        }

        @Override
        public void run() {
            if (!taken.compareAndSet(false, true)) {
                return;
            }
            try {
                Link present = link;
                if (present != null && present != old) {
                    end(present, null);
                    return;
                }
                if (closed) {
                    throw new IllegalStateException("closed");
                }
                Link fresh = new Link(driver.forCommands(), driver.clustered());
                install(fresh, old);
                end(fresh, null);
            } catch (RuntimeException | Error e) {
                end(null, e);
            }
        }

        void fail(RuntimeException why) {
            if (taken.compareAndSet(false, true)) {
                end(null, why);
            }
        }

        private void end(@Nullable Link made, @Nullable Throwable failure) {
            dialling.compareAndSet(this, null);
            if (made != null) {
                result.complete(made);
            } else if (failure != null) {
                result.completeExceptionally(failure);
            }
        }
    }
}
