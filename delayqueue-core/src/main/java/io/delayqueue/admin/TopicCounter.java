package io.delayqueue.admin;

import io.delayqueue.message.Shard;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.script.TopicRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Counts topics without blocking. All shards are counted concurrently, so that a server that does not respond delays
 * only the topics that it stores. Thread-safe.
 *
 * @param store counts a shard
 * @param registry returns the shards of a topic
 */
record TopicCounter(MessageStore store, TopicRegistry registry) {

    /** Empty if the topic is not registered. Fails with the exception of the store or the registry. */
    CompletableFuture<Optional<TopicCounts>> count(String topic) {
        return registry.withShards(topic, this::count);
    }

    private CompletableFuture<TopicCounts> count(List<Shard> shards) {
        List<CompletableFuture<ShardCounts>> asked =
                shards.stream().map(store::count).toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(all -> TopicCounts.of(
                        asked.stream().map(CompletableFuture::join).toList()));
    }
}
