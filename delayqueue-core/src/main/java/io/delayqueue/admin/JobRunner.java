package io.delayqueue.admin;

import io.delayqueue.admin.Job.State;
import io.delayqueue.admin.JobTable.Jobs;
import io.delayqueue.admin.StoredJob.Batch;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.coordination.KnownNodes;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.message.Printable;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.template.DelayQueueUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs the jobs that are assigned to this node. All nodes compute the same assignment from the live nodes, so that a job
 * continues on another node if its node fails. For a moment two nodes may run the same job, which does no harm, see
 * {@link JobWork}.
 *
 * <p>The task of the engine only starts a run on a handler thread, because a run waits for Redis. It is scheduled when
 * the first job is known. Thread-safe.
 */
final class JobRunner implements PeriodicTask {

    private static final Log log = LogFactory.getLog(JobRunner.class);

    /** Time after which an ended job is removed. */
    private static final Duration REMEMBERED = Duration.ofDays(1);

    /** Time that a job may take of a run, before the other jobs have their turn. */
    private static final Duration TURN = Duration.ofMillis(500);

    private static final Duration RETRY = Duration.ofSeconds(1);

    private final JobTable table;
    private final JobWork work;
    private final NodeDirectory nodes;
    private final DelayQueueEngine engine;
    private final LongSupplier nanoTime;
    /** Number of requests for a run, of which the first is running. */
    private final AtomicInteger requests = new AtomicInteger();

    /** By id of a job with a rate: when its next batch may begin, by the monotonic clock. Used by runs only. */
    private final Map<String, Long> nextBatches = new HashMap<>();

    /** Ids of the ended moves of which no interrupted batch is left. Used by runs only. */
    private final Set<String> finishedMoves = new HashSet<>();

    private @Nullable TaskHandle handle;

    /** Creates a runner, which runs nothing until it is woken. */
    JobRunner(JobTable table, JobWork work, NodeDirectory nodes, DelayQueueEngine engine, LongSupplier nanoTime) {
        this.table = table;
        this.work = work;
        this.nodes = nodes;
        this.engine = engine;
        this.nanoTime = nanoTime;
    }

    /** Looks for jobs at once. */
    synchronized void wake() {
        if (handle == null) {
            handle = engine.tasks().schedule("jobs", this);
        } else {
            handle.wake();
        }
    }

    private synchronized void wakeWithin(Duration time) {
        if (handle != null) {
            handle.wakeWithin(time);
        }
    }

    @Override
    public Duration run() {
        if (requests.getAndIncrement() == 0) {
            try {
                engine.execute(this::runAll);
            } catch (RuntimeException | Error e) { // the executor may be the application's
                requests.set(0);
                log.debug("Jobs wait, because the executor of the handlers rejected them", e);
                return RETRY;
            }
        }
        return UNTIL_WOKEN;
    }

    private void runAll() {
        int taken = requests.get();
        Duration next = RETRY;
        try {
            next = runAssigned();
        } catch (RedisCallException | DelayQueueUnavailableException e) {
            log.debug("Jobs wait, because Redis does not reply", e);
        } catch (RuntimeException | Error e) {
            log.warn("Running jobs failed and is retried in a second", e);
        } finally {
            boolean again = requests.getAndSet(0) != taken;
            wakeWithin(again ? Duration.ZERO : next);
        }
    }

    /** Gives each assigned job its turn and returns the time until the next run. */
    private Duration runAssigned() {
        Jobs jobs = table.read();
        Duration next = UNTIL_WOKEN;
        if (jobs.jobs().isEmpty()) {
            return next;
        }
        List<String> ids = jobs.jobs().stream().map(job -> job.job().id()).toList();
        nextBatches.keySet().retainAll(ids);
        finishedMoves.retainAll(ids);
        KnownNodes live = nodes.read();
        if (live.nodes().stream().noneMatch(node -> node.name().equals(engine.node()))) {
            // its heartbeats were late; the next one lists it again, maybe without a call of wake()
            return RETRY;
        }
        for (StoredJob job : jobs.jobs()) {
            if (!engine.isClosed() && live.isAssigned(job.job().id(), engine.node())) {
                Duration wait = run(job, jobs.now());
                next = wait.compareTo(next) < 0 ? wait : next;
            }
        }
        return next;
    }

    private Duration run(StoredJob job, Instant now) {
        Duration wait = job.job().isActive()
                ? Duration.between(now, job.begin())
                : Duration.between(now, job.job().updatedAt()).plus(REMEMBERED);
        boolean waits = wait.compareTo(Duration.ZERO) > 0;
        if (waits && (job.job().isActive() || isFinished(job))) {
            return wait;
        }
        try {
            if (job.job().isActive()) {
                return turn(job, now);
            }
            finishMove(job);
            if (waits) {
                return wait;
            }
            table.remove(job);
            return UNTIL_WOKEN;
        } catch (RedisCallException | DelayQueueUnavailableException e) {
            // other jobs may use other servers, or keys without this problem
            log.debug("Job " + Printable.of(job.job().id()) + " waits", e);
            String why = String.valueOf(e.getMessage());
            table.update(job, current -> current.waiting(why));
            return RETRY;
        } catch (RuntimeException e) {
            table.update(job, current -> current.ended(State.FAILED, now, String.valueOf(e.getMessage())));
            return REMEMBERED;
        }
    }

    /** Whether no interrupted batch of an ended job is left, as far as this node knows. Only moves leave some. */
    private boolean isFinished(StoredJob job) {
        return job.job().request().action() != JobAction.MOVE
                || finishedMoves.contains(job.job().id());
    }

    /** The node that ran a move may have failed during a batch, and the move was stopped before another node continued. */
    private void finishMove(StoredJob job) {
        if (job.job().request().action() == JobAction.MOVE) {
            finishedMoves.add(job.job().id()); // another failure than one of Redis would occur again
            try {
                long moved = work.finish(job);
                if (moved > 0) {
                    table.update(
                            job,
                            current -> current.after(
                                    new Batch(moved, 0, null, false),
                                    engine.node(),
                                    job.job().updatedAt()));
                }
            } catch (RedisCallException | DelayQueueUnavailableException e) {
                finishedMoves.remove(job.job().id());
                throw e;
            } catch (RuntimeException e) {
                log.warn("An interrupted batch of job " + Printable.of(job.job().id()) + " is not finished", e);
            }
        }
    }

    private Duration turn(StoredJob job, Instant now) {
        String id = job.job().id();
        long start = nanoTime.getAsLong();
        long wait = nextBatches.getOrDefault(id, start) - start;
        if (wait > 0) {
            return Duration.ofNanos(wait);
        }
        int perSecond = job.job().request().perSecond();
        int max = perSecond == 0 ? JobWork.MAX_BATCH : Math.max(1, Math.min(JobWork.MAX_BATCH, perSecond / 4));
        // it may have been stopped while other jobs had their turns
        StoredJob current = table.refresh(job);
        while (current != null && current.job().isActive() && !engine.isClosed()) {
            Batch batch = work.next(current, max);
            long end = nanoTime.getAsLong();
            Instant at = now.plusNanos(end - start);
            current = table.update(current, read -> read.after(batch, engine.node(), at));
            if (perSecond > 0 && batch.done() > 0) {
                long pause = batch.done() * Duration.ofSeconds(1).toNanos() / perSecond;
                nextBatches.put(id, end + pause);
                return Duration.ofNanos(pause);
            }
            if (end - start > TURN.toNanos()) {
                return Duration.ZERO;
            }
        }
        return REMEMBERED;
    }
}
