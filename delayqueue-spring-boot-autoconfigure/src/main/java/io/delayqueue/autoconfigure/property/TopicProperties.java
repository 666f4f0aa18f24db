package io.delayqueue.autoconfigure.property;

import io.delayqueue.admin.HandlerForecasts;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicLimits;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The number of shards of a topic, its limits, its agreed lateness, the durability of its sends, and the options of its listeners. Attributes of a
 * listener's annotation take precedence.
 *
 * @param name Name of the topic; by default the key of the entry. Environment variables need it for names with a dash, a
 *     dot or capital letters.
 * @param shards Number of shards of the topic, 1 to 1,024. It is fixed when the topic is registered. By default, a
 *     registered topic keeps its number, and a new topic has 1 shard.
 * @param keys What the keys of the topic's messages mean: with {@code ordered}, messages of one key are handled one at a time,
 *     in the order of their due times; with {@code fair}, the keys share the starts of deliveries equally; with {@code none},
 *     messages have no keys. It is fixed when the topic is registered. By default, a registered topic keeps its meaning, and
 *     messages of a new topic have no keys. A topic with keys has 1 shard.
 * @param maxConcurrent Maximum number of messages of the topic that are leased at the same time, over all nodes, 1 to
 *     1,000,000. By default, there is no limit. A topic with a limit has 1 shard.
 * @param maxConcurrentPerKey Maximum number of messages of one key that are leased at the same time, over all nodes, 1 to
 *     1,000. By default, there is no limit. It requires {@code keys=fair}.
 * @param rate Maximum number of deliveries that start within a period, over all nodes, such as {@code 100/1m}. By default,
 *     there is no limit. The count is 1 to 1,000,000, the period 1 ms to 1 d.
 * @param rateBurst Maximum number of deliveries that start at once after a pause, 1 to the count of the rate. By default,
 *     it is 1 and a twentieth of the count.
 * @param maxMessages Maximum number of scheduled, ready and leased messages of the topic, 1 to 10^12. Further sends are
 *     rejected. By default, there is no limit.
 * @param maxLateness Agreed lateness of the topic, from which the number of handlers that it needs is forecast, 1 s to 1 d. By
 *     default, it is 1 minute.
 * @param durability Confirmation that sends, cancels, reschedules and settlements of receivers wait for, such as
 *     {@code replicas 1 within 500ms} or {@code fsynced 1 within 2s}; by default none. The durability of a message takes
 *     precedence.
 * @param concurrency Maximum number of handlers of a listener of the topic that run at the same time, 1 to 10,000.
 * @param batchSize Maximum number of messages that a batch listener receives in one call, 1 to 500.
 * @param lease Duration of a lease, 1 s to 1 d. Listeners renew it, and receivers do not.
 * @param maxAttempts Number of attempts after which a message is dead-lettered, 1 or more.
 * @param maxPostponements Number of postponements that a message may have. The next one dead-letters it. If 0, the number is
 *     unlimited.
 * @param backoff Delay after a failed attempt: "fixed 5s", "exponential 1s x2 max 1h jitter 0.2", a list of delays such as
 *     "0s,0s,2m,10m", or the name of a RetryPolicy bean.
 * @param notRetryable Exceptions after which a message is dead-lettered without a retry.
 * @param unavailableOn Exceptions which mean that a system that the handlers need is unavailable.
 * @param handlingTime Maximum time for which a lease is renewed while the delivery is handled, from the lease to 365 d.
 * @param prefetch Maximum number of deliveries that are claimed in addition to those being handled, 0 to 10,000.
 * @param prefetchTime Maximum time for which a delivery waits for a handler before it is released, 1 ms to 1 d.
 * @param drainTime Maximum time for which a stopping listener waits for its running handlers, 0 to 1 d.
 */
public record TopicProperties(
        @Nullable String name,
        @Nullable Integer shards,
        Shard.@Nullable Keys keys,
        @Nullable Integer maxConcurrent,
        @Nullable Integer maxConcurrentPerKey,
        @Nullable String rate,
        @Nullable Integer rateBurst,
        @Nullable Long maxMessages,
        @Nullable Duration maxLateness,
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
        implements ListenerProperties {

    private static final Duration LEAST_LATENESS = Duration.ofSeconds(1);
    private static final Duration MOST_LATENESS = Duration.ofDays(1);

    /** The agreed lateness of the topic. */
    public Duration toMaxLateness() {
        Duration lateness = maxLateness == null ? HandlerForecasts.DEFAULT_MAX_LATENESS : maxLateness;
        InvalidOptionException.requireRange("maxLateness", lateness, LEAST_LATENESS, MOST_LATENESS);
        return lateness;
    }

    /** The limits of the topic. */
    public TopicLimits toLimits() {
        return TopicLimits.of(maxConcurrent, maxConcurrentPerKey, rate, rateBurst, maxMessages);
    }
}
