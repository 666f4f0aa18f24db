package io.delayqueue.autoconfigure.health;

import io.delayqueue.autoconfigure.DelayQueueProperties;
import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.server.ServerProbe;
import io.delayqueue.redis.server.ServerState;
import io.delayqueue.redis.server.ServerState.AppendOnly;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Fails the application's start if Redis may evict messages, unless eviction is allowed. Logs a warning if Redis does
 * not persist its data, or if it may evict idempotency keys and markers of deleted topics, which the queue needs for a
 * day. If Redis does not respond within a second, the start continues. Redis is then checked as soon as it responds,
 * and problems are only logged.
 *
 * <p>Connecting takes most of the time that the queue adds to a start. So the check begins while the application creates
 * its beans.
 */
final class RedisCheck {

    private static final Log log = LogFactory.getLog(RedisCheck.class);
    private static final Duration NEVER = Duration.ofDays(365);

    private final ServerProbe probe;
    private final PeriodicTaskScheduler tasks;
    private final boolean allowEviction;
    private final boolean warnWithoutPersistence;
    /** The reply to the next check; null until it is requested. */
    private @Nullable CompletableFuture<ServerState> reply;

    private @Nullable TaskHandle pendingCheck;

    RedisCheck(ServerProbe probe, PeriodicTaskScheduler tasks, DelayQueueProperties.Redis settings) {
        this.probe = probe;
        this.tasks = tasks;
        this.allowEviction = settings.allowEviction();
        this.warnWithoutPersistence = settings.warnWithoutPersistence();
    }

    /** Connects and asks Redis on other threads, so that {@link #check()} waits less. */
    synchronized RedisCheck begin() {
        reply = probe.probe();
        return this;
    }

    synchronized void check() {
        ServerState state = awaitReply();
        if (state == null) {
            pendingCheck = tasks.schedule("check of Redis' settings", this::checkAgain);
        } else {
            if (state.mayEvict() && !allowEviction) {
                throw new StartFailedException(
                        evictionProblem(state),
                        "Set maxmemory-policy to noeviction, or use a separate Redis for the delay queue and"
                                + " annotate its connection factory with @DelayQueueConnectionFactory. To accept the"
                                + " loss of messages, set delayqueue.redis.allow-eviction=true.");
            }
            warn(state);
        }
    }

    private @Nullable ServerState awaitReply() {
        CompletableFuture<ServerState> begun = reply;
        reply = null;
        if (begun == null || begun.isCompletedExceptionally()) {
            begun = probe.probe();
        }
        try {
            return begun.orTimeout(1, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            log.debug("The check of Redis' settings failed. It is repeated later.", e);
            return null;
        }
    }

    private Duration checkAgain() {
        ServerState state = Await.call(probe::probe);
        if (state.mayEvict() && !allowEviction) {
            log.error(evictionProblem(state)
                    + " Set it to noeviction. Otherwise the next start of the application fails unless"
                    + " delayqueue.redis.allow-eviction is true.");
        } else {
            warn(state);
        }
        cancel();
        return NEVER;
    }

    private static String evictionProblem(ServerState state) {
        return "Redis may evict messages of the delay queue: its maxmemory-policy is '" + state.evictionPolicy()
                + "', which may evict any key when memory is full.";
    }

    private void warn(ServerState state) {
        if (state.mayEvict()) {
            log.warn(evictionProblem(state)
                    + " The application starts because delayqueue.redis.allow-eviction is true.");
        }
        if (state.mayForget()) {
            log.warn("Redis' maxmemory-policy is '" + state.evictionPolicy()
                    + "'. When memory is full, Redis keeps all messages, but may evict idempotency keys and"
                    + " markers of deleted topics before they expire. A repeated HTTP request may then send"
                    + " a message twice. Set it to noeviction to prevent this.");
        }
        if (state.appendOnly() == AppendOnly.OFF && warnWithoutPersistence) {
            log.warn("Redis writes no append-only file. If it crashes, all messages since its last"
                    + " snapshot are lost. Set appendonly to yes to keep them.");
        }
    }

    /** Cancels a check that is still in progress. */
    synchronized void cancel() {
        if (pendingCheck != null) {
            pendingCheck.cancel();
            pendingCheck = null;
        }
    }
}
