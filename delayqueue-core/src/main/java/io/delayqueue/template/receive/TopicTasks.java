package io.delayqueue.template.receive;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of one topic one after the other, on the threads that wake them. The thread of a request thus sends the
 * poll, and the thread that reads the reply applies it: a hand-over between threads would cost more than the work. A
 * lock instead of the {@link SequentialExecutor} could delay the event loop of the Redis client, and with it the replies
 * to all commands.
 *
 * <p>Planned runs begin on a thread of the receiver's scheduler, with one task for all, while any is planned.
 *
 * <p>A task that fails runs again after the {@linkplain PeriodicTask#backoff back-off}. After the receiver was closed, nothing is
 * planned, so a task that is woken runs without a back-off. Thread-safe.
 */
final class TopicTasks implements PeriodicTaskScheduler {

    private final ReceiverContext context;
    private final String name;
    private final SequentialExecutor executor = new SequentialExecutor();

    // used by the executor's tasks only
    private final Set<Task> planned = new HashSet<>();
    private @Nullable TaskHandle timer;

    /**
     * Creates the tasks of a topic.
     *
     * @param name of the planned runs in the log
     */
    TopicTasks(ReceiverContext context, String name) {
        this.context = context;
        this.name = name;
    }

    /** Called when the receiver is closed: repeats what has failed once more, and cancels all planned runs. */
    void close() {
        List.copyOf(planned).stream().filter(task -> task.failures > 0).forEach(Task::run);
        planned.clear();
        planTimer();
    }

    /** Runs an action, which must not block, in turn with the tasks. */
    void execute(Runnable action) {
        executor.execute(action);
    }

    @Override
    public TaskHandle schedule(String taskName, PeriodicTask task) {
        Task scheduled = new Task(taskName, task);
        scheduled.wake();
        return scheduled;
    }

    @Override
    public boolean runsInBackground() {
        return true;
    }

    private Duration runPlanned() {
        executor.execute(() -> {
            long now = context.now();
            for (Task task : List.copyOf(planned)) {
                if (task.plannedFor - now <= 0) {
                    task.run();
                }
            }
            planTimer();
        });
        return PeriodicTask.UNTIL_WOKEN; // unless the timer is woken earlier
    }

    private void planTimer() {
        if (planned.isEmpty()) {
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
        } else if (timer == null) {
            timer = context.scheduler.schedule(name, this::runPlanned);
        } else {
            long now = context.now();
            long wait = planned.stream()
                    .mapToLong(task -> task.plannedFor - now)
                    .min()
                    .orElseThrow();
            timer.wakeWithin(Duration.ofNanos(Math.max(0, wait)));
        }
    }

    private final class Task implements TaskHandle {

        private final String taskName;
        private final PeriodicTask task;
        private final AtomicBoolean woken = new AtomicBoolean();
        private volatile boolean cancelled;
        private long plannedFor;
        /** Number of failures since the last success, the time of the first, and the end of the back-off. */
        private int failures;

        private long failingSince;
        private long retryAt;

        Task(String taskName, PeriodicTask task) {
            this.taskName = taskName;
            this.task = task;
        }

        @Override
        public void wake() {
            if (woken.compareAndSet(false, true)) {
                executor.execute(() -> {
                    woken.set(false);
                    if (failures == 0 || context.isClosed() || context.now() - retryAt >= 0) {
                        run();
                        planTimer();
                    }
                });
            }
        }

        @Override
        public void wakeWithin(Duration time) {
            executor.execute(() -> {
                plan(time);
                planTimer();
            });
        }

        private void plan(Duration time) {
            long at = context.now() + time.toNanos();
            if (planned.add(this) || at - plannedFor < 0) {
                plannedFor = at;
            }
        }

        private void run() {
            planned.remove(this);
            if (cancelled) {
                return;
            }
            try {
                Duration next = task.run();
                if (!task.isWaiting()) {
                    failures = 0;
                }
                if (next.isZero()) {
                    wake();
                } else if (next.compareTo(PeriodicTask.UNTIL_WOKEN) < 0) {
                    plan(next);
                }
            } catch (Throwable e) { // no failure of a task may end the others
                long now = context.now();
                failingSince = failures == 0 ? now : failingSince;
                failures++;
                Duration backoff = PeriodicTask.backoff(failures);
                retryAt = now + backoff.toNanos();
                plan(backoff);
                Duration failing = Duration.ofNanos(now - failingSince);
                context.events.publish(events -> events.taskFailed(taskName, e, failing));
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }
}
