package io.delayqueue.web.compat.ids;

import io.delayqueue.coordination.PeriodicTask;
import io.delayqueue.coordination.PeriodicTaskScheduler;
import io.delayqueue.coordination.PeriodicTaskScheduler.TaskHandle;
import io.delayqueue.message.Completions;
import io.delayqueue.store.VersionedCancel;
import io.delayqueue.web.compat.ids.IdIndex.Entry;
import io.delayqueue.web.compat.ids.IdIndex.Page;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Sweeps the index of ids, one page per run. The pages of a bucket follow each other without a delay. Removes old entries whose ids are not live in any topic. Cancels messages
 * that interrupted pushes left in topics other than the current one. A message that is live in only one topic is kept,
 * even if the entry names another current topic. Runs on one thread at a time.
 */
public final class IdSweep implements PeriodicTask, SmartLifecycle {

    private static final int PAGE = 100;
    private static final String START = "0";

    private final IdIndex index;
    private final TopicCopies copies;
    private final Duration interval;
    private final PeriodicTaskScheduler scheduler;
    private @Nullable TaskHandle handle;
    private int bucket;
    private String cursor = START;

    /**
     * Creates a sweep.
     *
     * @param interval time in which each bucket is swept once, by any of the processes
     * @param scheduler runs the sweep between {@link #start} and {@link #stop}
     */
    public IdSweep(IdIndex index, TopicCopies copies, Duration interval, PeriodicTaskScheduler scheduler) {
        this(index, copies, 0, interval, scheduler);
    }

    IdSweep(IdIndex index, TopicCopies copies, int first, Duration interval, PeriodicTaskScheduler scheduler) {
        this.index = index;
        this.copies = copies;
        this.bucket = first;
        this.interval = interval;
        this.scheduler = scheduler;
    }

    @Override
    public synchronized void start() {
        if (handle == null) {
            handle = scheduler.schedule("ids", this);
        }
    }

    @Override
    public synchronized void stop() {
        if (handle != null) {
            handle.cancel();
            handle = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return handle != null;
    }

    /**
     * Sweeps a page. Blocks until Redis has replied.
     *
     * @return delay until the next run; zero if the bucket has another page
     */
    @Override
    public Duration run() {
        try {
            Page page = index.sweepAsync(bucket, cursor, PAGE, interval).join();
            CompletableFuture<?>[] swept =
                    page.entries().stream().map(this::sweep).toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(swept).join();
            cursor = page.cursor();
        } catch (CompletionException e) {
            advance();
            throw Completions.unchecked(e);
        }
        if (!cursor.equals(START)) {
            return Duration.ZERO;
        }
        advance();
        return interval.dividedBy(IdIndex.BUCKETS);
    }

    private void advance() {
        cursor = START;
        bucket = (bucket + 1) % IdIndex.BUCKETS;
    }

    private CompletableFuture<?> sweep(Entry entry) {
        List<CompletableFuture<Boolean>> live = entry.topics().stream()
                .map(topic -> copies.version(topic, entry.id()).thenApply(VersionedCancel::live))
                .toList();
        return CompletableFuture.allOf(live.toArray(CompletableFuture[]::new)).thenCompose(checked -> {
            if (live.stream().noneMatch(CompletableFuture::join)) {
                return index.removeAsync(entry.id(), entry.version(), index.grace());
            }
            return live.get(0).join() && live.size() > 1
                    ? cancelOthers(entry)
                    : CompletableFuture.completedFuture(null);
        });
    }

    private CompletableFuture<Void> cancelOthers(Entry entry) {
        List<String> topics = entry.topics();
        CompletableFuture<?>[] cancelled = topics.subList(1, topics.size()).stream()
                .map(topic -> copies.cancel(topic, entry.id(), entry.version(), false))
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(cancelled)
                .thenCompose(done -> index.settleAsync(entry.id(), topics.get(0), entry.version()))
                .thenApply(settled -> null);
    }
}
