package io.delayqueue.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Printable;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The jobs in Redis. Each method waits for Redis. Thread-safe. */
final class JobTable {

    private static final Log log = LogFactory.getLog(JobTable.class);
    private static final LuaScript READ = LuaScript.beside(JobTable.class, "jobs");
    private static final LuaScript REPLACE = LuaScript.beside(JobTable.class, "job");

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final Consumer<Job> onEnd;
    private final Set<String> warnedOf = ConcurrentHashMap.newKeySet();

    /** @param onEnd called when a change by this instance has ended a job */
    JobTable(ScriptRunner scripts, KeySpace keySpace, Consumer<Job> onEnd) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.onEnd = onEnd;
    }

    /** All jobs that this version can read, at one time of Redis' clock. */
    record Jobs(Instant now, List<StoredJob> jobs) {}

    Jobs read() {
        List<Object> reply = Await.call(() -> scripts.run(new ScriptCall(READ, keySpace.jobs())));
        List<StoredJob> jobs = new ArrayList<>();
        Set<String> unreadable = new HashSet<>();
        for (int i = 1; i + 1 < reply.size(); i += 2) {
            String id = text(reply.get(i));
            try {
                jobs.add(StoredJob.read(id, text(reply.get(i + 1))));
            } catch (RuntimeException e) {
                unreadable.add(id);
                if (warnedOf.add(id)) {
                    log.warn("Job " + Printable.of(id) + " is not listed, because this version cannot read it: "
                            + Printable.of(e.getMessage()));
                }
            }
        }
        warnedOf.retainAll(unreadable);
        return new Jobs(now(reply), jobs);
    }

    /** Adds a job and signals all nodes. */
    void add(StoredJob job) {
        replace(job.job().id(), "", job.write(), true);
    }

    /** Removes a job. */
    void remove(StoredJob job) {
        update(job, read -> null);
    }

    /** Reads a job again; null if it does not exist. */
    @Nullable
    StoredJob refresh(StoredJob known) {
        return update(known, UnaryOperator.identity());
    }

    /**
     * Changes a job.
     *
     * @param change called again if the job has changed in the meantime; returns null to remove the job
     * @return the job after the change; null if it does not exist
     */
    @Nullable
    StoredJob update(StoredJob known, UnaryOperator<@Nullable StoredJob> change) {
        String id = known.job().id();
        StoredJob current = known;
        String expected = known.write();
        while (true) {
            StoredJob changed = change.apply(current);
            String entry = changed == null ? "" : changed.write();
            String found = text(replace(id, expected, entry, false).get(1));
            // the client repeats a call whose reply was lost; the repeat finds the new entry
            if (found.equals(expected) || found.equals(entry)) {
                if (changed != null
                        && current.job().isActive()
                        && !changed.job().isActive()) {
                    onEnd.accept(changed.job());
                }
                return changed;
            }
            if (found.isEmpty()) {
                return null;
            }
            expected = found;
            current = StoredJob.read(id, found);
        }
    }

    private List<Object> replace(String id, String expected, String entry, boolean signal) {
        return Await.call(() -> scripts.run(new ScriptCall(REPLACE, keySpace.jobs(), keySpace.nodeTopics())
                .add(id)
                .add(expected)
                .add(entry)
                .add(signal ? "1" : "0")
                .add(keySpace.signalChannel())));
    }

    private static Instant now(List<Object> reply) {
        long micros = Long.parseLong(text(reply.get(0)));
        return Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000);
    }

    private static String text(Object part) {
        return new String((byte[]) part, UTF_8);
    }
}
