package io.delayqueue.admin;

import io.delayqueue.Internal;
import io.delayqueue.admin.Job.State;
import io.delayqueue.admin.JobTable.Jobs;
import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.Dates;
import io.delayqueue.message.Due;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.MessageMover;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.template.MessageIds;
import io.delayqueue.template.SendLimits;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.util.Assert;

/**
 * Acts on many messages or dead letters of a topic, or at a later time. A job is stored in Redis, and one of the live
 * nodes runs it in batches. If that node fails, another one continues. A job acts only on messages and dead letters that
 * exist when it begins. An ended job is listed for a day; of more than 500, the latest are listed. Requests and ends of
 * jobs are logged and published as {@link io.delayqueue.event.DelayQueueEvents#administered}. Thread-safe.
 *
 * <p>Each method throws {@link io.delayqueue.template.DelayQueueUnavailableException} if Redis does not reply.
 */
public class DelayQueueJobs {

    /** Maximum number of jobs that wait or run. */
    public static final int MAX_ACTIVE = 100;

    /** Maximum number of ended jobs that are listed. */
    private static final int MAX_ENDED = 500;

    private final JobTable table;
    private final JobRunner runner;
    private final MessageStore store;
    private final ShardReader reader;
    private final TopicRegistry registry;
    private final NodeDirectory nodes;
    private final DelayQueueEngine engine;
    private final SendLimits limits;
    private final InstantSource clock;
    private final AuditLog audit;
    private final MessageIds ids;

    /**
     * Creates an instance that uses a store.
     *
     * @param engine runs the jobs that are assigned to its node
     * @param limits contain the maximum delay of a replay
     * @param clock for ids
     */
    @Internal
    public DelayQueueJobs(
            ScriptRunner scripts,
            KeySpace keySpace,
            MessageStore store,
            ShardReader reader,
            TopicRegistry registry,
            NodeDirectory nodes,
            DelayQueueEngine engine,
            EventBus events,
            SendLimits limits,
            InstantSource clock) {
        this.table = new JobTable(scripts, keySpace, this::ended);
        this.store = store;
        this.reader = reader;
        this.registry = registry;
        this.nodes = nodes;
        this.engine = engine;
        this.limits = limits;
        this.clock = clock;
        this.audit = new AuditLog(events);
        this.ids = new MessageIds(clock, new SecureRandom());
        this.runner = new JobRunner(
                table,
                new JobWork(store, new MessageMover(scripts, keySpace, registry), reader, registry, nodes, events),
                nodes,
                engine,
                engine.nanoTime());
        engine.onJobs(runner::wake);
    }

    /**
     * Counts the messages or dead letters on which a job would act now; 1 for pause and resume. If the request has a
     * filter, at most the youngest 1,000,000 dead letters are read.
     *
     * @throws IllegalArgumentException if the delay is too long, the start is out of range, or a move has no target
     */
    public long preview(JobRequest request) {
        Assert.notNull(request, "'request' must not be null");
        InvalidOptionException.require(
                request.action() != JobAction.MOVE || request.target() != null,
                "target",
                "is required by the action move");
        if (request.startAt() != null) {
            Dates.check("startAt", request.startAt());
        }
        String objection = limits.objectionTo(Due.after(request.delay()), clock);
        if (objection != null) {
            throw new IllegalArgumentException("The replay is rejected: " + objection);
        }
        return translating("Counting what a job would do", () -> switch (request.action()) {
            case PAUSE, RESUME -> 1L;
            case REPLAY, PURGE ->
                request.filter().equals(DeadLetterFilter.ALL)
                        ? counts(request).dead()
                        : registry.awaitWithShards(
                                        request.topic(),
                                        shards -> DeadLetterGrouping.count(
                                                reader, shards, DelayQueueInspector.MAX_GROUPED, request.filter()))
                                .orElse(0L);
            case RUN -> counts(request).scheduled();
            case CANCEL, MOVE -> {
                TopicCounts counts = counts(request);
                yield counts.scheduled() + counts.ready();
            }
        });
    }

    private TopicCounts counts(JobRequest request) {
        return Await.result(DelayQueueInspector.count(store, registry, request.topic()));
    }

    /**
     * Requests a job. If no node is live, this process becomes one and runs it.
     *
     * @return the job, which waits
     * @throws IllegalArgumentException if the delay is too long, the start is out of range, or a move has no target
     * @throws IllegalStateException if {@value #MAX_ACTIVE} jobs wait or run
     */
    public Job start(JobRequest request) {
        long expected = preview(request);
        return translating("Requesting a job", () -> {
            Jobs before = table.read();
            Assert.state(
                    before.jobs().stream().filter(job -> job.job().isActive()).count() < MAX_ACTIVE,
                    () -> MAX_ACTIVE + " jobs wait or run. Wait for one of them, or stop it.");
            Job job =
                    new Job(ids.next(), request, State.WAITING, expected, 0, 0, null, before.now(), before.now(), null);
            table.add(new StoredJob(job, "", false));
            before.jobs().stream()
                    .filter(each -> !each.job().isActive())
                    .sorted(Comparator.comparing((StoredJob each) -> each.job().updatedAt())
                            .reversed())
                    .skip(MAX_ENDED)
                    .forEach(table::remove);
            audit.add(request.by(), "request to " + describe(request), request.topic(), expected);
            if (nodes.read().nodes().isEmpty()) {
                engine.join();
            }
            return job;
        });
    }

    private static String describe(JobRequest request) {
        String verb = request.action().name().toLowerCase(Locale.ROOT);
        String of = request.action().isOnDeadLetters() ? " dead letters" : "";
        return verb + of + (request.target() == null ? "" : " to " + request.target());
    }

    private void ended(Job job) {
        String failure = job.failure();
        audit.add(
                job.request().by(),
                describe(job.request()) + ", " + job.state().name().toLowerCase(Locale.ROOT)
                        + (failure == null ? "" : ": " + failure),
                job.request().topic(),
                job.done());
    }

    /** All jobs that wait, run, or ended within the last day, the latest first. */
    public List<Job> jobs() {
        return translating("Reading jobs", table::read).jobs().stream()
                .map(StoredJob::job)
                .sorted(Comparator.comparing(Job::requestedAt).reversed())
                .toList();
    }

    /** Reads a job; empty if it does not exist or ended more than a day ago. */
    public Optional<Job> job(String id) {
        return jobs().stream().filter(job -> job.id().equals(id)).findFirst();
    }

    /**
     * Stops a job after its current batch. What it did is not undone. A job that has ended does not change.
     *
     * @return the job; empty if it does not exist
     */
    public Optional<Job> stop(String id) {
        return translating("Stopping job " + Printable.of(id), () -> {
            Jobs read = table.read();
            return read.jobs().stream()
                    .filter(job -> job.job().id().equals(id))
                    .findFirst()
                    .map(job -> table.update(job, current -> current.ended(State.STOPPED, read.now(), null)))
                    .map(StoredJob::job);
        });
    }

    private static <T> T translating(String attempt, Supplier<T> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            throw DelayQueueException.translated(attempt, e);
        }
    }
}
