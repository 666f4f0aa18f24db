package io.delayqueue.autoconfigure.health;

import io.delayqueue.autoconfigure.failure.EvictingRedisException;
import io.delayqueue.coordination.StepScheduler;
import io.delayqueue.coordination.StepScheduler.StepHandle;
import io.delayqueue.redis.server.ServerProbe;
import io.delayqueue.redis.server.ServerState;
import io.delayqueue.redis.server.ServerState.AppendOnly;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Refuses to start on a Redis that may remove messages, before anything uses it, and warns of one that keeps nothing. A
 * Redis that doesn't answer within a second holds nothing up: it is checked when it does answer, and then a line in the
 * log has to do.
 */
final class RedisCheck extends StartCheck {

    private static final Log log = LogFactory.getLog(RedisCheck.class);
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration NEVER = Duration.ofDays(365);

    /** After connection factories, which have 0, and before whatever sends, listens or serves. */
    private static final int PHASE = 1;

    private final ServerProbe probe;
    private final StepScheduler steps;
    private final boolean allowEviction;
    private @Nullable StepHandle later;

    RedisCheck(ServerProbe probe, StepScheduler steps, boolean allowEviction) {
        super(PHASE);
        this.probe = probe;
        this.steps = steps;
        this.allowEviction = allowEviction;
    }

    @Override
    void check() {
        ServerState state = askNow();
        if (state == null) {
            later = steps.schedule("check of Redis' settings", this::checkLater);
        } else {
            if (state.mayEvict() && !allowEviction) {
                throw new EvictingRedisException(danger(state));
            }
            warn(state);
        }
    }

    private @Nullable ServerState askNow() {
        try {
            return probe.askAsync().get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            log.debug("Redis' settings are checked when it answers", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    private Duration checkLater() {
        ServerState state = probe.ask();
        if (state.mayEvict() && !allowEviction) {
            log.error(danger(state) + " Set it to noeviction: with this setting the application won't start again,"
                    + " unless delayqueue.redis.allow-eviction is true.");
        } else {
            warn(state);
        }
        end();
        return NEVER;
    }

    private static String danger(ServerState state) {
        return "Redis may remove messages of the delay queue: its maxmemory-policy is '" + state.evictionPolicy()
                + "', by which any key may go when memory is full.";
    }

    private static void warn(ServerState state) {
        if (state.mayEvict()) {
            log.warn(danger(state) + " It is used nevertheless, as delayqueue.redis.allow-eviction is true.");
        }
        if (state.appendOnly() == AppendOnly.OFF) {
            log.warn(
                    "Redis writes no append-only file: when it crashes, it loses the messages of the time since its last"
                            + " snapshot, if it makes any. Set appendonly yes to keep them.");
        }
    }

    @Override
    synchronized void end() {
        if (later != null) {
            later.cancel();
            later = null;
        }
    }
}
