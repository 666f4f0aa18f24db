package io.delayqueue.autoconfigure.property;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The number of shards of a topic, the durability of its sends, and the options of its listeners. Attributes of a
 * listener's annotation take precedence.
 *
 * @param name Name of the topic; by default the key of the entry. Environment variables need it for names with a dash, a
 *     dot or capital letters.
 * @param shards Number of shards of the topic, 1 to 1,024. It is fixed when the topic is registered. By default, a
 *     registered topic keeps its number, and a new topic has 1 shard.
 * @param durability Confirmation that sends, cancels, reschedules and settlements of receivers wait for, such as
 *     {@code replicas 1 within 500ms} or {@code fsynced 1 within 2s}; by default none. The durability of a message takes
 *     precedence.
 */
public record TopicProperties(
        @Nullable String name,
        @Nullable Integer shards,
        @Nullable String durability,
        @Nullable Integer concurrency,
        @Nullable Integer batchSize,
        @Nullable Duration lease,
        @Nullable Integer maxAttempts,
        @Nullable Integer maxPostponements,
        @Nullable String backoff,
        @Nullable List<Class<? extends Throwable>> notRetryable,
        @Nullable List<Class<? extends Throwable>> unavailableOn,
        @Nullable Duration handlingTime,
        @Nullable Integer prefetch,
        @Nullable Duration prefetchTime,
        @Nullable Duration drainTime)
        implements ListenerProperties {}
