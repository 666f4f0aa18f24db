package io.delayqueue.admin;

import io.delayqueue.message.Shard;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.TopicRegisteredAnewException;
import io.delayqueue.store.script.TopicRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Counts topics without blocking, all shards of one at once, so that a server that hangs holds up no topic but those that
 * it keeps. Thread-safe.
 *
 * @param store counts a shard
 * @param registry knows the shards
 */
record TopicCounter(MessageStore store, TopicRegistry registry) {

    /** More than once takes somebody who registers the topic anew all the time. */
    private static final int LOOKS = 20;

    /** Empty if the topic isn't registered; fails with what the store or the registry throws. */
    CompletableFuture<Optional<TopicCounts>> count(String topic) {
        return count(topic, LOOKS);
    }

    private CompletableFuture<Optional<TopicCounts>> count(String topic, int left) {
        return registry.registeredShardsAsync(topic)
                .thenCompose(shards -> shards.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.<TopicCounts>empty())
                        : count(shards.get()).thenApply(Optional::of))
                .exceptionallyCompose(failure -> left > 1 && cause(failure) instanceof TopicRegisteredAnewException
                        ? count(topic, left - 1)
                        : CompletableFuture.failedFuture(cause(failure)));
    }

    private CompletableFuture<TopicCounts> count(List<Shard> shards) {
        List<CompletableFuture<ShardCounts>> asked =
                shards.stream().map(store::countAsync).toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(all -> TopicCounts.of(
                        asked.stream().map(CompletableFuture::join).toList()));
    }

    static Throwable cause(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }
}
