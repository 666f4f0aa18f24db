package io.delayqueue.container;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.Printable;
import io.delayqueue.redis.RedisCallException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs failed tasks without flooding the log: the first failure with its stack trace, then one line a minute for all
 * tasks, and one when the first of them succeeds again. After ten seconds without a failure the next one counts as the
 * first. Thread-safe.
 */
final class OutageLog implements TaskPool.Reporter {

    private static final Log log = LogFactory.getLog(OutageLog.class);
    private static final long LOG_INTERVAL = Duration.ofMinutes(1).toNanos();
    private static final long NEW_OUTAGE_AFTER = Duration.ofSeconds(10).toNanos();

    private final EventBus events;
    private final LongSupplier nanoTime;
    private long first;
    private long latest;
    private long lastLine;
    private int count;
    private boolean ofRedis;
    private @Nullable Long recoveredAt;

    OutageLog(EventBus events, LongSupplier nanoTime) {
        this.events = events;
        this.nanoTime = nanoTime;
    }

    @Override
    public void failed(String task, Throwable failure) {
        Duration since = record(task, failure);
        events.publish(to -> to.taskFailed(task, failure, since));
    }

    private synchronized Duration record(String task, Throwable failure) {
        long now = nanoTime.getAsLong();
        if (recoveredAt != null && now - recoveredAt <= NEW_OUTAGE_AFTER) {
            return Duration.ZERO; // its call was open when Redis replied again; further failures are logged later
        }
        if (count == 0 || now - latest > NEW_OUTAGE_AFTER) {
            first = now;
            count = 0;
        }
        latest = now;
        recoveredAt = null;
        ofRedis = isOfRedis(failure);
        count++;
        if (count == 1) {
            lastLine = now;
            log.warn(
                    "Task " + Printable.of(task) + " failed and is retried until it succeeds: " + failure.getMessage(),
                    failure);
        } else if (now - lastLine > LOG_INTERVAL) {
            lastLine = now;
            log.warn("Tasks have failed " + count + " times in "
                    + Duration.ofNanos(now - first).toSeconds() + " s. The last failure was of task "
                    + Printable.of(task) + ": "
                    + failure.getMessage());
        }
        return Duration.ofNanos(now - first);
    }

    private static boolean isOfRedis(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RedisCallException) {
                return true;
            }
        }
        return false;
    }

    @Override
    public synchronized void recovered(String task) {
        if (count > 0) {
            long now = nanoTime.getAsLong();
            log.info((ofRedis ? "Redis replies again" : "Tasks succeed again") + " after "
                    + Duration.ofNanos(now - first).toSeconds() + " s. Failed runs of tasks: " + count
                    + "; the first task to succeed: " + Printable.of(task));
            count = 0;
            recoveredAt = now;
        }
    }
}
