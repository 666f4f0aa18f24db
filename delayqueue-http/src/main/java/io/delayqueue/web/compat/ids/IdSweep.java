package io.delayqueue.web.compat.ids;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.Completions;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.VersionedCancel.Outcome;
import io.delayqueue.web.compat.ids.IdIndex.Found;
import io.delayqueue.web.compat.ids.IdIndex.Page;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Sweeps the index of ids, one page per run. Removes old entries whose ids are not live in any topic. Cancels messages
 * that interrupted pushes left in topics other than the current one. A message that is live in only one topic is kept,
 * whatever the entry says. Not thread-safe.
 */
public final class IdSweep {

    private static final int PAGE = 100;
    private static final String START = "0";

    private final IdIndex index;
    private final TopicCopies copies;
    private final EventBus events;
    private final int buckets;
    private final Duration interval;
    private final Duration pause;
    private int bucket;
    private String cursor = START;

    /**
     * Creates a sweep over the scripts and keys of one namespace.
     *
     * @param interval time in which each bucket is swept once, by any of the processes
     */
    public IdSweep(ScriptRunner scripts, KeySpace keySpace, TopicCopies copies, EventBus events, Duration interval) {
        this(new IdIndex(scripts, keySpace, UniqueIds.GRACE), copies, events, IdIndex.BUCKETS, 0, interval);
    }

    IdSweep(IdIndex index, TopicCopies copies, EventBus events, int buckets, int first, Duration interval) {
        this.index = index;
        this.copies = copies;
        this.events = events;
        this.buckets = buckets;
        this.bucket = first;
        this.interval = interval;
        this.pause = interval.dividedBy(buckets);
    }

    /**
     * Sweeps a page. Blocks until Redis has replied.
     *
     * @return delay until the next run
     */
    public Duration run() {
        try {
            Page page = index.sweepAsync(bucket, cursor, PAGE, interval).join();
            CompletableFuture<?>[] swept =
                    page.found().stream().map(this::sweep).toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(swept).join();
            cursor = page.cursor();
        } catch (CompletionException e) {
            advance();
            throw Completions.unchecked(e);
        }
        if (cursor.equals(START)) {
            advance();
        }
        return pause;
    }

    private void advance() {
        cursor = START;
        bucket = (bucket + 1) % buckets;
    }

    private CompletableFuture<?> sweep(Found found) {
        String id = found.id();
        List<String> topics = found.entry().topics();
        List<CompletableFuture<Boolean>> live = topics.stream()
                .map(topic -> copies.version(topic, id).thenApply(copy -> copy.outcome() == Outcome.LIVE))
                .toList();
        return CompletableFuture.allOf(live.toArray(CompletableFuture[]::new)).thenCompose(checked -> {
            if (live.stream().noneMatch(CompletableFuture::join)) {
                return index.removeAsync(id, found.entry().version(), index.grace());
            }
            return live.get(0).join() && topics.size() > 1
                    ? cancelOthers(found)
                    : CompletableFuture.completedFuture(null);
        });
    }

    private CompletableFuture<Void> cancelOthers(Found found) {
        long version = found.entry().version();
        List<String> topics = found.entry().topics();
        CompletableFuture<?>[] cancelled = topics.subList(1, topics.size()).stream()
                .map(topic -> cancel(topic, found.id(), version))
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(cancelled)
                .thenCompose(done -> index.settleAsync(found.id(), topics.get(0), version))
                .thenApply(settled -> null);
    }

    private CompletableFuture<?> cancel(String topic, String id, long version) {
        return copies.cancel(topic, id, version).thenAccept(copy -> {
            if (copy.outcome() == Outcome.CANCELLED) {
                events.publish(listener -> listener.cancelled(topic, id));
            }
        });
    }
}
