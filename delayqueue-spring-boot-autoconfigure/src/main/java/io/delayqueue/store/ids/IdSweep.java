package io.delayqueue.store.ids;

import io.delayqueue.event.EventBus;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.ids.IdIndex.Found;
import io.delayqueue.store.ids.IdIndex.Page;
import io.delayqueue.store.script.TopicCopies;
import io.delayqueue.store.script.TopicCopies.State;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Sweeps the index of ids, a page a step: removes old entries whose ids are live nowhere, and cancels what pushes that
 * stopped midway left in topics that their id is no longer pushed to. What is live in one topic only stays, whatever the
 * entry says. To be stepped by one thread at a time.
 */
public final class IdSweep {

    private static final int PAGE = 100;
    private static final String BEGINNING = "0";

    private final IdIndex index;
    private final TopicCopies copies;
    private final EventBus events;
    private final int buckets;
    private final Duration interval;
    private final Duration pause;
    private int bucket;
    private String cursor = BEGINNING;

    /**
     * Over the scripts and names of one namespace.
     *
     * @param interval in which each bucket is swept once, by whichever process
     */
    public IdSweep(ScriptRunner scripts, KeySpace keySpace, TopicCopies copies, EventBus events, Duration interval) {
        this(new IdIndex(scripts, keySpace, UniqueIds.GRACE), copies, events, keySpace.idBuckets(), 0, interval);
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
     * Sweeps a page. Blocks for its calls.
     *
     * @return how long to wait for the next
     */
    public Duration step() {
        try {
            Page page = index.turnAsync(bucket, cursor, PAGE, interval).join();
            CompletableFuture<?>[] swept =
                    page.found().stream().map(this::sweep).toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(swept).join();
            cursor = page.cursor();
        } catch (CompletionException e) {
            advance();
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
        if (cursor.equals(BEGINNING)) {
            advance();
        }
        return pause;
    }

    private void advance() {
        cursor = BEGINNING;
        bucket = (bucket + 1) % buckets;
    }

    private CompletableFuture<?> sweep(Found found) {
        String id = found.id();
        List<String> topics = found.entry().topics();
        List<CompletableFuture<Boolean>> looks = topics.stream()
                .map(topic -> copies.lookAsync(topic, id).thenApply(copy -> copy.state() == State.LIVE))
                .toList();
        return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new)).thenCompose(looked -> {
            if (looks.stream().noneMatch(CompletableFuture::join)) {
                return index.leaveAsync(id, found.entry().number(), index.grace());
            }
            return looks.get(0).join() && topics.size() > 1
                    ? endOthers(found)
                    : CompletableFuture.completedFuture(null);
        });
    }

    private CompletableFuture<Void> endOthers(Found found) {
        String number = found.entry().number();
        List<String> topics = found.entry().topics();
        CompletableFuture<?>[] ended = topics.subList(1, topics.size()).stream()
                .map(topic -> end(topic, found.id(), number))
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(ended)
                .thenCompose(done -> index.settleAsync(found.id(), topics.get(0), number))
                .thenApply(settled -> null);
    }

    private CompletableFuture<?> end(String topic, String id, String number) {
        return copies.endAsync(topic, id, number).thenAccept(copy -> {
            if (copy.state() == State.CANCELLED) {
                events.publish(listener -> listener.cancelled(topic, id));
            }
        });
    }
}
