package io.delayqueue.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.Internal;
import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.message.FormText;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Schedule;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.template.DelayQueueSchedules;
import io.delayqueue.template.DelayQueueUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Stores the schedules that the listeners of this process declare. Thread-safe.
 *
 * <p>The timing of the process that started last takes effect. Each process renews its declarations. If its own timing is not
 * the one that is declared, it logs this once, and takes over as soon as the other declaration has lapsed, since no process
 * renews it. A schedule that no process declares is paused after a day, and resumed when it is declared again.
 */
@Internal
public final class DeclaredSchedules {

    static final Duration INTERVAL = Duration.ofSeconds(20);

    /** Time after which a declaration lapses if it is not renewed. */
    static final Duration LAPSE = INTERVAL.multipliedBy(2);

    /** Time after which a schedule is paused if no process declares it. */
    static final Duration PAUSE_AFTER = Duration.ofDays(1);

    private static final Log log = LogFactory.getLog(DeclaredSchedules.class);
    private static final LuaScript DECLARE = LuaScript.beside(DeclaredSchedules.class, "declare");
    private static final LuaScript LAPSED = LuaScript.beside(DeclaredSchedules.class, "lapsed");
    private static final LuaScript ORPHAN = LuaScript.beside(DeclaredSchedules.class, "orphan");

    // marks, see orphan.lua
    private static final String UNMARKED = "-";
    private static final String PAUSED = "p";
    private static final String KEPT = "k";
    private static final String REMOVED = "";

    /** The search for schedules that no process declares is done by each of so many runs. */
    private static final int RUNS_PER_SEARCH = 90;

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final DelayQueueSchedules schedules;
    private final Supplier<List<Schedule>> own;
    private final Executor executor;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile @Nullable TaskHandle task;

    // only runs use these
    /** The timings that this process has declared, by topic and id. */
    private final Map<String, String> declared = new HashMap<>();

    private final Set<String> logged = new HashSet<>();

    /** Number of times that the task was due; only the task uses it. */
    private int runs;

    /**
     * Creates it.
     *
     * @param own the schedules of the listeners of this process
     * @param executor runs what waits for Redis
     */
    public DeclaredSchedules(
            ScriptRunner scripts,
            KeySpace keySpace,
            DelayQueueSchedules schedules,
            Supplier<List<Schedule>> own,
            Executor executor) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.schedules = schedules;
        this.own = own;
        this.executor = executor;
    }

    /**
     * A schedule of a listener that no process declares.
     *
     * @param since when it was last declared, by Redis' clock
     */
    public record Orphan(String topic, String id, Instant since) {}

    /** @param mark what was done with it, see {@code orphan.lua} */
    private record Lapsed(Orphan orphan, String mark) {}

    /** Declares the schedules now and then until {@link #stop()}. */
    public void start(PeriodicTaskScheduler tasks) {
        PeriodicTask declaring = () -> {
            boolean search = runs++ % RUNS_PER_SEARCH == 0;
            if (search || !own.get().isEmpty()) {
                execute(search);
            }
            return INTERVAL;
        };
        task = tasks.schedule("declared schedules", declaring);
    }

    /** Stops renewing the declarations. */
    public void stop() {
        TaskHandle current = task;
        if (current != null) {
            current.cancel();
        }
    }

    private void execute(boolean search) {
        if (running.compareAndSet(false, true)) {
            try {
                executor.execute(() -> {
                    try {
                        run(search);
                    } finally {
                        running.set(false);
                    }
                });
            } catch (RejectedExecutionException e) {
                running.set(false);
                log.debug("Schedules are not declared, because the engine is closed", e);
            }
        }
    }

    /**
     * Declares the schedules of this process. Waits for Redis.
     *
     * @param search whether to pause those that no process declares
     */
    void run(boolean search) {
        for (Schedule schedule : own.get()) {
            attempt(schedule, () -> declare(schedule));
        }
        if (search) {
            attempt(null, this::pauseOrphans);
        }
    }

    /** One that fails does not prevent others. A failure other than an outage is logged once. */
    private void attempt(@Nullable Schedule schedule, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            if (isOutage(e)) {
                log.debug("Schedules are declared later, because Redis did not reply", e);
            } else if (schedule == null) {
                log.warn("Schedules that no listener declares are searched again later", e);
            } else if (logged.add(field(schedule.topic(), schedule.id()))) {
                log.error(
                        "The schedule of listener " + Printable.of(schedule.id()) + " is not stored. " + e.getMessage(),
                        e);
            }
        }
    }

    private static boolean isOutage(Throwable failure) {
        Throwable cause = failure instanceof DelayQueueUnavailableException ? failure.getCause() : failure;
        return cause instanceof RedisCallException call && (call.kind() == Kind.NOT_SENT || call.isOutcomeUnknown());
    }

    private void declare(Schedule schedule) {
        String field = field(schedule.topic(), schedule.id());
        String timing = schedule.timing().text();
        String mode = timing.equals(declared.get(field)) ? "l" : "";
        List<Object> reply = call(declareCall(field, timing, mode));
        String outcome = text(reply.get(0));
        if (outcome.equals("o")) {
            logOnce("Another process declares the schedule of listener " + Printable.of(schedule.id()) + " as "
                    + Printable.of(text(reply.get(1))) + ", this process as " + Printable.of(timing)
                    + ". That of the process that started last takes effect. Give all processes the same.");
            return;
        }
        declared.put(field, timing);
        schedules.put(schedule);
        if (outcome.equals("p")) {
            schedules.resume(schedule.topic(), schedule.id());
            call(declareCall(field, timing, "r"));
        }
    }

    private ScriptCall declareCall(String field, String timing, String mode) {
        return new ScriptCall(DECLARE, keySpace.declarations())
                .add(field)
                .add(timing)
                .add(LAPSE.toMillis())
                .add(mode);
    }

    private void logOnce(String sentence) {
        if (logged.add(sentence)) {
            log.warn(sentence);
        }
    }

    private void pauseOrphans() {
        for (Lapsed lapsed : lapsed(PAUSE_AFTER)) {
            if (lapsed.mark().equals(UNMARKED)) {
                pause(lapsed);
            }
        }
    }

    /** Pauses once: a schedule that is resumed by hand, or is put by the application from now on, is left as it is. */
    private void pause(Lapsed lapsed) {
        Orphan orphan = lapsed.orphan();
        Schedule.Snapshot schedule = schedules.find(orphan.topic(), orphan.id()).orElse(null);
        if (schedule == null) {
            mark(orphan, REMOVED);
        } else if (schedule.paused()) {
            mark(orphan, KEPT);
        } else if (mark(orphan, PAUSED)) {
            schedules.pause(orphan.topic(), orphan.id());
            if (mark(orphan, PAUSED)) {
                log.warn("Schedule " + Printable.of(orphan.id()) + " in topic " + Printable.of(orphan.topic())
                        + " is paused, since no listener has declared it since " + orphan.since()
                        + ". Remove it if it is not needed any more.");
            } else { // declared meanwhile
                schedules.resume(orphan.topic(), orphan.id());
            }
        }
    }

    private boolean mark(Orphan orphan, String mark) {
        List<Object> reply = call(new ScriptCall(ORPHAN, keySpace.declarations())
                .add(field(orphan.topic(), orphan.id()))
                .add(orphan.since().toEpochMilli())
                .add(mark));
        return text(reply.get(0)).equals("1");
    }

    /** The schedules of listeners that no process declares; empty if Redis does not reply. */
    public List<Orphan> orphans() {
        try {
            return lapsed(LAPSE).stream().map(Lapsed::orphan).toList();
        } catch (RedisCallException e) {
            log.debug("It is unknown which schedules no listener declares", e);
            return List.of();
        }
    }

    private List<Lapsed> lapsed(Duration age) {
        List<Object> reply = call(new ScriptCall(LAPSED, keySpace.declarations()).add(age.toMillis()));
        List<Lapsed> lapsed = new ArrayList<>();
        for (int i = 0; i + 2 < reply.size(); i += 3) {
            Map<String, String> names = FormText.read(text(reply.get(i)));
            lapsed.add(new Lapsed(
                    new Orphan(
                            names.getOrDefault("topic", ""),
                            names.getOrDefault("id", ""),
                            Instant.ofEpochMilli(Long.parseLong(text(reply.get(i + 1))))),
                    text(reply.get(i + 2))));
        }
        return lapsed;
    }

    private List<Object> call(ScriptCall call) {
        return Await.call(() -> scripts.run(call));
    }

    private static String field(String topic, String id) {
        StringBuilder field = new StringBuilder();
        FormText.append(field, "topic", topic);
        FormText.append(field, "id", id);
        return field.toString();
    }

    private static String text(Object part) {
        return new String((byte[]) part, UTF_8);
    }
}
