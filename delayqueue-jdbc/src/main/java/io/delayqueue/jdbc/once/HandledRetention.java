package io.delayqueue.jdbc.once;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.event.FailureLog;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Removes the rows of messages that were handled long ago, in small deletes at random intervals, so that nodes seldom
 * delete at the same time. The deletes run on a handler thread, because a periodic task must not wait for a database.
 * Thread-safe.
 */
public final class HandledRetention {

    private static final Log log = LogFactory.getLog(HandledRetention.class);

    private final OnceListeners listeners;
    private final PeriodicTaskScheduler scheduler;
    private final Executor executor;
    private final RandomGenerator random;
    private final Duration retention;
    private final Duration interval;
    private volatile @Nullable Run run;

    /**
     * Creates the clean-up, which is not started.
     *
     * @param executor runs the deletes, which block
     * @param interval average time between runs of this node
     */
    HandledRetention(
            OnceListeners listeners,
            PeriodicTaskScheduler scheduler,
            Executor executor,
            RandomGenerator random,
            Duration retention,
            Duration interval) {
        this.listeners = listeners;
        this.scheduler = scheduler;
        this.executor = executor;
        this.random = random;
        this.retention = retention;
        this.interval = interval;
    }

    /** Creates the clean-up of an application, which is not started. */
    public static HandledRetention of(
            OnceListeners listeners, DelayQueueEngine engine, Duration retention, Duration interval) {
        return new HandledRetention(
                listeners, engine.tasks(), engine::execute, RandomGenerator.getDefault(), retention, interval);
    }

    /**
     * Starts the clean-up if a listener has {@code once}. Called before the listeners start.
     *
     * @throws io.delayqueue.annotation.InvalidListenerException if the retention is too short for one
     */
    public void start(DelayListenerRegistry registry) {
        listeners.checkRetention(OnceListeners.optionsOf(registry));
        HandledMessages table = listeners.table();
        if (table != null) {
            Run started = new Run(table);
            run = started;
            started.handle = scheduler.schedule("once clean-up", started);
        }
    }

    /** Stops the clean-up. A delete in progress ends; no other one follows. */
    public void stop() {
        Run stopped = run;
        run = null;
        if (stopped != null) {
            stopped.cancel();
        }
    }

    /** The clean-up from a start to a stop. */
    private final class Run implements PeriodicTask {

        private final HandledMessages table;
        private volatile @Nullable TaskHandle handle;
        private boolean planned;

        Run(HandledMessages table) {
            this.table = table;
        }

        void cancel() {
            TaskHandle current = handle;
            if (current != null) {
                current.cancel();
            }
        }

        @Override
        public Duration run() {
            if (!planned) {
                planned = true;
                return nextInterval();
            }
            executor.execute(this::delete);
            return UNTIL_WOKEN;
        }

        private void delete() {
            boolean more = false;
            try {
                int deleted = table.deleteOlderThan(retention);
                more = deleted == HandledMessages.DELETED_AT_ONCE;
                if (deleted > 0 && log.isDebugEnabled()) {
                    log.debug("Removed " + deleted + " records of handled messages");
                }
            } catch (RuntimeException e) {
                FailureLog.log(log::warn, "Old records of handled messages were not removed; the next try follows", e);
            } finally {
                wakeWithin(more ? Duration.ZERO : nextInterval());
            }
        }

        private void wakeWithin(Duration time) {
            TaskHandle current = handle;
            if (current != null && run == this) {
                current.wakeWithin(time);
            }
        }

        /** Half to one and a half times the interval. */
        private Duration nextInterval() {
            return Duration.ofMillis((long) (interval.toMillis() * (0.5 + random.nextDouble())));
        }
    }
}
