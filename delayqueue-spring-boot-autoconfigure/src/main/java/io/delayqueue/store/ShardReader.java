package io.delayqueue.store;

/** Reads what stands in a shard, for whoever looks at the queue. Leaves nothing in Redis. Thread-safe. */
public interface ShardReader {}
