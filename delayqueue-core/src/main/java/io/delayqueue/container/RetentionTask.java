package io.delayqueue.container;

import io.delayqueue.coordination.RedisTask;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.Purge;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicRegisteredAnewException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Prunes the dead letters of the topics that this node consumes, or consumed since its start, by age, count and size.
 * Logs and publishes what it drops.
 */
final class RetentionTask extends RedisTask {

    private static final Log log = LogFactory.getLog(RetentionTask.class);

    private static final int AT_ONCE = 200;

    private final MessageStore store;
    private final Set<Shard> shards;
    private final EngineSettings settings;
    private final EventBus events;

    /**
     * Creates the task.
     *
     * @param shards thread-safe set of the shards to prune. Other threads add to it; the task removes the shards of a
     *     topic that was registered again
     */
    RetentionTask(
            MessageStore store, Set<Shard> shards, EngineSettings settings, EventBus events, LongSupplier nanoTime) {
        super(nanoTime);
        this.store = store;
        this.shards = shards;
        this.settings = settings;
        this.events = events;
    }

    @Override
    protected Duration roundTrip() {
        List<Pruned> pruned = reply(this::prune);
        if (pruned == null) {
            return UNTIL_WOKEN;
        }
        RuntimeException failed = null;
        boolean more = false;
        for (Pruned one : pruned) {
            try {
                more |= isMoreLeft(one);
            } catch (RuntimeException e) { // the other shards are pruned all the same
                failed = failed == null ? e : failed;
            }
        }
        if (failed != null) {
            throw failed;
        }
        return more ? Duration.ZERO : settings.retentionInterval();
    }

    /**
     * Prunes all shards in concurrent batches, so that unavailable shards cost few timeouts. The future never fails.
     */
    private CompletableFuture<List<Pruned>> prune() {
        return Completions.inBatches(List.copyOf(shards), AT_ONCE, this::prune);
    }

    private CompletableFuture<Pruned> prune(Shard shard) {
        // ids, and thus dead letters, are distributed evenly over shards
        long count = (settings.deadLetterMaxCount() + shard.count() - 1) / shard.count();
        long bytes = settings.deadLetterMaxBytes() / shard.count();
        return store.purge(shard, new Purge.Retention(settings.deadLetterMaxAge(), count, bytes))
                .handle((dropped, failure) -> new Pruned(shard, dropped, failure));
    }

    private boolean isMoreLeft(Pruned pruned) {
        Shard shard = pruned.shard();
        try {
            int dropped = pruned.dropped();
            if (dropped > 0) {
                log.info("Retention dropped dead letters of topic " + Printable.of(shard.topic()) + ": " + dropped);
                events.publish(to -> to.deadLettersDropped(shard.topic(), dropped));
            }
            return dropped == PollRequest.MAX_BATCH;
        } catch (TopicRegisteredAnewException e) {
            shards.remove(shard);
        } catch (TopicConflictException e) {
            log.warn("The dead letters of topic " + Printable.of(shard.topic()) + " cannot be pruned: "
                    + e.getMessage());
        }
        return false;
    }

    /** The result for one shard: the number of dropped dead letters, or the failure. */
    private record Pruned(
            Shard shard, @Nullable Integer count, @Nullable Throwable failure) {

        int dropped() {
            if (failure != null) {
                throw Completions.unchecked(failure);
            }
            return count == null ? 0 : count;
        }
    }
}
