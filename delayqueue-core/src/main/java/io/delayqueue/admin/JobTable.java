package io.delayqueue.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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

    JobTable(ScriptRunner scripts, KeySpace keySpace) {
        this.scripts = scripts;
        this.keySpace = keySpace;
    }

    /** All jobs that this version can read, at one time of Redis' clock. */
    record Jobs(Instant now, List<StoredJob> jobs) {}

    Jobs read() {
        List<Object> reply = Await.call(() -> scripts.run(new ScriptCall(READ, keySpace.jobs())));
        List<StoredJob> jobs = new ArrayList<>();
        for (int i = 1; i + 1 < reply.size(); i += 2) {
            StoredJob job = readable(text(reply.get(i)), text(reply.get(i + 1)));
            if (job != null) {
                jobs.add(job);
            }
        }
        return new Jobs(now(reply), jobs);
    }

    private static @Nullable StoredJob readable(String id, String entry) {
        try {
            return StoredJob.read(id, entry);
        } catch (RuntimeException e) {
            log.debug("Job " + id + " cannot be read by this version", e);
            return null;
        }
    }

    /** Adds a job and signals all nodes. */
    void add(StoredJob job) {
        replace(job.job().id(), "", job.write(), true);
    }

    /** Removes a job that has not changed. */
    void remove(StoredJob job) {
        replace(job.job().id(), job.write(), "", false);
    }

    /**
     * Changes a job.
     *
     * @param change called again if the job has changed in the meantime
     * @return the job after the change; null if it does not exist
     */
    @Nullable
    StoredJob update(StoredJob known, UnaryOperator<StoredJob> change) {
        String id = known.job().id();
        StoredJob current = known;
        String expected = known.write();
        while (true) {
            StoredJob changed = change.apply(current);
            List<Object> reply = replace(id, expected, changed.write(), false);
            String found = text(reply.get(1));
            if (found.equals(expected)) {
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
