package io.delayqueue.jdbc.outbox;

import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.event.EventBus;
import io.delayqueue.jdbc.outbox.JdbcOutbox.Settled;
import io.delayqueue.jdbc.outbox.OutboxTable.Claimed;
import io.delayqueue.jdbc.outbox.OutboxTable.Row;
import io.delayqueue.jdbc.outbox.OutboxTable.Unreadable;
import io.delayqueue.message.Printable;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.template.OutboxMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the rows of sends and cancels that committing threads have done, and does those that are left in the table. Runs
 * on one thread, which waits for a connection as long as the pool allows, and for a statement as long as its time-out
 * allows. Thread-safe.
 *
 * <p>The rows of a batch are locked until Redis has replied and they are deleted, in one transaction. If the process ends
 * before the deletion, they are done again, and Redis recognises the repeats.
 *
 * <p>A row is done only if no earlier row of its id waits in the table, except those that were done before it in the same
 * batch. So it is done after those of its id that were committed when it was inserted, on all nodes. The numbers of rows of
 * overlapping transactions say nothing about the order of their commits.
 *
 * <p>Messages to a full topic stay in the table, and delay those to no other topic.
 */
public final class OutboxRelay {

    private static final Log log = LogFactory.getLog(OutboxRelay.class);
    private static final String NAME = "outbox";
    /** Rows that one statement deletes. Oracle allows 1000. */
    private static final int DELETED_TOGETHER = 500;

    private static final Duration STOP = Duration.ofSeconds(10);

    private final JdbcOutbox outbox;
    private final OutboxTable table;
    private final Function<List<OutboxMessage>, List<SendResult>> sender;
    private final EventBus events;
    private final PeriodicTaskScheduler tasks;
    private final Executor executor;
    private final Settings settings;
    private final LongSupplier nanoTime;
    private final Object lock = new Object();

    /** Null unless the thread runs. */
    private @Nullable CountDownLatch running;

    private @Nullable TaskHandle task;
    private boolean stopped = true;
    private boolean woken;

    // used by one run at a time
    private final FullTopics fullTopics = new FullTopics();
    private long after;
    private @Nullable Long nextSearch;
    private @Nullable Long nextSample;
    /** What is told when the batch is committed. If the commit fails, the next batch has its rows again. */
    private final List<Runnable> afterCommit = new ArrayList<>();

    private final Outage ofDatabase = new Outage("The database");
    private final Outage ofRedis = new Outage("Redis");
    private final TableUse use;

    /**
     * Settings of the relay.
     *
     * @param pollInterval interval between searches for rows
     * @param batchSize maximum number of rows that are sent or deleted together
     * @param sampleInterval interval between counts of the rows
     */
    public record Settings(Duration pollInterval, int batchSize, Duration sampleInterval) {}

    /** A time during which the relay fails, logged with its first failure and at its end. */
    private final class Outage {

        private final String what;
        private long since;
        private int failures;

        Outage(String what) {
            this.what = what;
        }

        /**
         * Notes a failure.
         *
         * @param begun when the call that fails began
         */
        void failed(String problem, @Nullable Throwable cause, long begun) {
            if (failures++ == 0) {
                since = begun;
                log.warn(
                        what + " fails the outbox, which tries again every "
                                + settings.pollInterval().toMillis() + " ms. Messages of commits stay in the table: "
                                + problem,
                        cause);
            }
            Throwable failure = cause != null ? cause : new IllegalStateException(problem);
            events.publish(listener -> listener.outboxFailed(failure, Duration.ofNanos(nanoTime.getAsLong() - since)));
        }

        void over() {
            if (failures > 0) {
                log.info(what + " serves the outbox again after "
                        + Duration.ofNanos(nanoTime.getAsLong() - since).toSeconds() + " s. Failed tries: "
                        + failures);
                failures = 0;
            }
        }
    }

    /**
     * Creates a relay; {@link #start} starts it.
     *
     * @param sender does sends and cancels of different ids once, and returns their results
     * @param tasks runs the relay if it has no threads
     * @param executor runs the relay otherwise, on one thread
     * @param nanoTime the monotonic clock, in nanoseconds
     */
    public OutboxRelay(
            JdbcOutbox outbox,
            Function<List<OutboxMessage>, List<SendResult>> sender,
            EventBus events,
            PeriodicTaskScheduler tasks,
            Executor executor,
            Settings settings,
            LongSupplier nanoTime) {
        this.outbox = outbox;
        this.table = outbox.table();
        this.sender = sender;
        this.events = events;
        this.tasks = tasks;
        this.executor = executor;
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.use = new TableUse(table.name(), table.queryTimeout(), nanoTime);
        outbox.onWork(this::wake);
        outbox.state(use::state);
    }

    /** Starts the relay. */
    public void start() {
        synchronized (lock) {
            if (!stopped) {
                return;
            }
            stopped = false;
            if (tasks.runsInBackground()) {
                CountDownLatch ended = new CountDownLatch(1);
                running = ended;
                executor.execute(() -> runUntilStopped(ended));
            } else {
                task = tasks.schedule(NAME, this::run);
            }
        }
    }

    /** Stops the relay. The batch in progress may finish within 10 s, and the rows of sent messages are deleted. */
    public void stop() {
        CountDownLatch ended;
        synchronized (lock) {
            stopped = true;
            ended = running;
            running = null;
            if (task != null) {
                task.cancel();
                task = null;
            }
            lock.notifyAll();
        }
        try {
            if (ended != null && !ended.await(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("The outbox did not stop within " + STOP.toSeconds() + " s; its batch is sent again later");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void wake() {
        synchronized (lock) {
            woken = true;
            lock.notifyAll();
            if (task != null) {
                task.wake();
            }
        }
    }

    private void runUntilStopped(CountDownLatch ended) {
        try {
            boolean more = true;
            while (more) {
                Duration wait = run();
                more = await(wait);
            }
            settle();
        } catch (RuntimeException e) {
            log.debug("Rows of sent messages stay in the table and are sent again", e);
        } finally {
            ended.countDown();
        }
    }

    /** Waits until there is work. Returns false when the relay is stopped. */
    private boolean await(Duration wait) {
        long end = nanoTime.getAsLong() + wait.toNanos();
        synchronized (lock) {
            for (long left = end - nanoTime.getAsLong();
                    left > 0 && !woken && !stopped;
                    left = end - nanoTime.getAsLong()) {
                try {
                    TimeUnit.NANOSECONDS.timedWait(lock, left);
                } catch (InterruptedException e) {
                    // nobody interrupts this thread on purpose; stop() ends it
                }
            }
            woken = false;
            return !stopped;
        }
    }

    /**
     * Does what is to be done.
     *
     * @return time until the next run
     */
    Duration run() {
        try {
            settle();
            long now = nanoTime.getAsLong();
            Long due = nextSearch;
            if (outbox.takeRelayWanted() || due == null || now - due >= 0) {
                nextSearch = now + settings.pollInterval().toNanos();
                relay();
            }
            sample();
            if (use.succeeded()) {
                ofDatabase.over();
            }
        } catch (RuntimeException e) {
            nextSample = null;
            ofDatabase.failed(String.valueOf(e.getMessage()), e, use.failed(e));
            return settings.pollInterval();
        }
        long left = Objects.requireNonNull(nextSearch) - nanoTime.getAsLong();
        return outbox.hasWork() ? Duration.ZERO : Duration.ofNanos(Math.max(0, left));
    }

    /** Deletes the rows that are done, and sets those aside that were rejected. */
    private void settle() {
        Settled settled = outbox.takeSettled();
        if (settled.isEmpty()) {
            return;
        }
        Set<Long> left = new LinkedHashSet<>(settled.sent());
        Map<Long, String> rejected = new LinkedHashMap<>(settled.rejected());
        try {
            for (List<Long> part : JdbcOutbox.parts(settled.sent(), DELETED_TOGETHER)) {
                use.calling(() -> outbox.transactions().run(() -> table.delete(part)));
                left.removeAll(new HashSet<>(part));
            }
            if (!rejected.isEmpty()) {
                use.calling(() -> outbox.transactions().run(() -> table.setAside(rejected)));
                rejected.clear();
                nextSample = null;
            }
        } finally {
            outbox.giveBack(new Settled(left, rejected));
        }
    }

    /** Does the waiting rows as long as some are accepted. */
    private void relay() {
        if (!use.calling(() -> outbox.transactions().reading(table::hasWaiting))) {
            after = 0;
            outbox.probe();
            ofRedis.over(); // another relay or a commit did the rows
            return;
        }
        while (!isStopped() && relayAndCommit()) {
            settle();
        }
    }

    private boolean relayAndCommit() {
        afterCommit.clear();
        boolean settled = use.calling(() -> outbox.transactions().inTransaction(this::relayBatch));
        afterCommit.forEach(Runnable::run);
        return settled;
    }

    private boolean isStopped() {
        synchronized (lock) {
            return stopped;
        }
    }

    /**
     * Does the next rows. Returns whether there may be more: some were settled, or those of a full topic are not claimed
     * any more.
     */
    private boolean relayBatch() {
        FullTopics.Batch topics = fullTopics.batch(nanoTime.getAsLong());
        Claimed claimed = table.claim(after, settings.batchSize(), topics.excluded());
        if (claimed.size() == 0) {
            after = 0;
            return false;
        }
        if (!claimed.unreadable().isEmpty()) {
            setAside(claimed.unreadable());
            return true;
        }
        List<Row> rows = claimed.rows();
        List<Long> seqs = rows.stream().map(Row::seq).toList();
        Set<Long> inFlight = new HashSet<>(outbox.inFlight(seqs));
        List<Long> sent = new ArrayList<>(outbox.sentHere(seqs));
        Map<Long, SendResult> results = send(rows, new HashSet<>(sent), inFlight, topics);
        Map<Long, String> rejected = new LinkedHashMap<>();
        SendResult unavailable = null;
        for (Row row : rows) {
            SendResult result = results.get(row.seq());
            if (result == null) {
                continue;
            }
            if (JdbcOutbox.isDone(result)) {
                sent.add(row.seq());
            } else if (JdbcOutbox.isFinal(result)) {
                rejected.put(row.seq(), JdbcOutbox.reason(result));
            } else {
                unavailable = JdbcOutbox.isFull(result) ? unavailable : result;
                continue;
            }
            if (result instanceof Failed failed) {
                OutboxMessage message = row.message();
                afterCommit.add(() -> tell(message.isCancel(), failed.topic(), failed.id(), message.exception(failed)));
            }
        }
        if (!sent.isEmpty()) {
            table.delete(sent);
            afterCommit.add(() -> outbox.deleted(sent));
        }
        if (!rejected.isEmpty()) {
            table.setAside(rejected);
            nextSample = null;
        }
        boolean full = topics.end();
        boolean settled = full || !sent.isEmpty() || !rejected.isEmpty();
        record(settled, unavailable);
        // rows that cannot be sent now, for example because one of several masters is unavailable, stop no others
        after = (unavailable != null || topics.mayHoldBack()) && rows.size() == settings.batchSize()
                ? rows.get(rows.size() - 1).seq()
                : 0;
        return settled;
    }

    /** Sets rows aside that this version cannot read; the next batch has the others. */
    private void setAside(List<Unreadable> rows) {
        Map<Long, String> reasons = new LinkedHashMap<>();
        for (Unreadable row : rows) {
            String reason = "UNREADABLE: this version cannot read the row: "
                    + row.cause().getMessage();
            reasons.put(row.seq(), reason);
            afterCommit.add(() -> {
                log.error("The row " + row.seq() + " of the outbox, with the message " + Printable.of(row.messageId())
                        + " of topic " + Printable.of(row.topic()) + ", is set aside. " + reason);
                tell(row.isCancel(), row.topic(), row.messageId(), row.cause());
            });
        }
        table.setAside(reasons);
        nextSample = null;
    }

    private void tell(boolean isCancel, String topic, String id, Throwable cause) {
        events.publish(listener -> {
            if (isCancel) {
                listener.cancelAfterCommitFailed(topic, id, cause);
            } else {
                listener.sendAfterCommitFailed(topic, id, cause);
            }
        });
    }

    private void record(boolean settled, @Nullable SendResult unavailable) {
        if (settled) {
            outbox.open();
            ofRedis.over();
        } else if (unavailable != null) {
            if (JdbcOutbox.isUnavailable(unavailable)) {
                outbox.close();
            }
            ofRedis.failed(JdbcOutbox.reason(unavailable), null, nanoTime.getAsLong());
        }
    }

    /**
     * Does the rows that no earlier row blocks, in parts in which each id occurs once.
     *
     * @param sent rows that a commit has done
     * @param inFlight rows that a commit is doing
     * @param topics gets the results
     */
    private Map<Long, SendResult> send(List<Row> rows, Set<Long> sent, Set<Long> inFlight, FullTopics.Batch topics) {
        Set<Long> claimed = new HashSet<>();
        rows.forEach(row -> claimed.add(row.seq()));
        Set<Long> blocked = table.blocked(claimed, claimed);
        Map<Long, SendResult> results = new HashMap<>();
        Set<List<String>> stuck = new HashSet<>();
        List<Row> open = rows.stream().filter(row -> !sent.contains(row.seq())).toList();
        while (!open.isEmpty()) {
            Set<List<String>> ids = new HashSet<>();
            List<Row> part = new ArrayList<>();
            List<Row> later = new ArrayList<>();
            for (Row row : open) {
                String topic = row.message().topic();
                List<String> id = List.of(topic, row.message().id());
                if (blocked.contains(row.seq()) || inFlight.contains(row.seq())) {
                    stuck.add(id);
                } else if (!stuck.contains(id) && !topics.holdsBack(topic)) {
                    (ids.add(topics.tries(topic) ? List.of(topic) : id) ? part : later).add(row);
                }
            }
            List<SendResult> replies = part.isEmpty()
                    ? List.of()
                    : use.pausing(
                            () -> sender.apply(part.stream().map(Row::message).toList()));
            for (int i = 0; i < part.size(); i++) {
                Row row = part.get(i);
                results.put(row.seq(), replies.get(i));
                topics.add(row.message().topic(), replies.get(i));
                if (!JdbcOutbox.isDone(replies.get(i)) && !JdbcOutbox.isFinal(replies.get(i))) {
                    stuck.add(List.of(row.message().topic(), row.message().id()));
                }
            }
            open = later;
        }
        return results;
    }

    private void sample() {
        long now = nanoTime.getAsLong();
        Long due = nextSample;
        if (due == null || now - due >= 0) {
            use.read(use.calling(() -> outbox.transactions().reading(table::content)));
            nextSample = now + settings.sampleInterval().toNanos();
        }
    }
}
