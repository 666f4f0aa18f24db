package io.delayqueue.autoconfigure;

import io.delayqueue.actuate.health.HealthSettings;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.autoconfigure.property.ForwardProperties;
import io.delayqueue.autoconfigure.property.HttpProperties;
import io.delayqueue.autoconfigure.property.ListenerDefaults;
import io.delayqueue.autoconfigure.property.ListenerLevels;
import io.delayqueue.autoconfigure.property.TopicProperties;
import io.delayqueue.container.EngineSettings;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardPlan.OnConflict;
import io.delayqueue.template.SendLimits;
import io.delayqueue.template.pull.PullSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the delay queue. A key that is not known fails the start.
 *
 * @param enabled Whether to configure the delay queue at all.
 * @param namespace First part of every key and channel in Redis; two namespaces on one Redis never meet. 1 to 64
 *     letters, digits, dots, dashes or underscores.
 * @param listener What holds for every listener unless its topic or annotation says otherwise.
 * @param topics What holds for a topic, by its name: shards (how many it has, 1 to 1,024), and for its listeners, unless
 *     their annotation says otherwise, the keys of delayqueue.listener, but for auto-startup and mdc.
 * @param shards What to do about topics that are registered with other shards.
 * @param limits What a send takes at most.
 * @param engine How listeners, heartbeats and retention are run.
 * @param deadLetters For how long dead letters are kept.
 * @param metrics What is measured.
 * @param health From when on the health indicator says that something is wrong.
 * @param redis The queue's own connections to Redis.
 * @param observation Traces and timers of sends and handling, by Micrometer.
 * @param http Doors for other languages, over HTTP.
 * @param forward Topics whose messages go on to a message broker: topic, to, destination, routing-key, pub-sub,
 *     send-timeout (30 s), id, and how that is run, unless the topic's own properties suffice: concurrency, lease,
 *     max-attempts, backoff, not-retryable, handling-time, prefetch.
 */
@ConfigurationProperties(prefix = "delayqueue", ignoreUnknownFields = false)
public record DelayQueueProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("dq") String namespace,
        @DefaultValue Listener listener,
        @DefaultValue Map<String, TopicProperties> topics,
        @DefaultValue Shards shards,
        @DefaultValue Limits limits,
        @DefaultValue Engine engine,
        @DefaultValue DeadLetters deadLetters,
        @DefaultValue Metrics metrics,
        @DefaultValue Health health,
        @DefaultValue Redis redis,
        @DefaultValue Observation observation,
        @NestedConfigurationProperty @DefaultValue HttpProperties http,
        @DefaultValue List<ForwardProperties> forward) {

    private static final Map<String, String> OF_LETTERS = Map.of(
            "retentionInterval", "delayqueue.dead-letters.prune-interval",
            "letterMaxAge", "delayqueue.dead-letters.max-age",
            "letterMaxCount", "delayqueue.dead-letters.max-count");

    /** Has each value checked by what it is for, so that a wrong one fails the start wherever it is used. */
    public DelayQueueProperties {
        InvalidPropertyException.check("delayqueue", Map.of(), () -> new KeySpace(namespace));
        InvalidPropertyException.check("delayqueue.limits", Map.of(), limits::toLimits);
        InvalidPropertyException.check("delayqueue.engine", OF_LETTERS, () -> engine.toSettings(deadLetters));
        InvalidPropertyException.check("delayqueue.metrics", Map.of(), metrics::check);
        InvalidPropertyException.check("delayqueue.redis", Map.of(), redis::toSettings);
        InvalidPropertyException.check("delayqueue.health", Map.of(), () -> health.toSettings(redis));
        InvalidPropertyException.check("delayqueue.http", Map.of(), http::check);
        topics = Map.copyOf(topics);
        forward = List.copyOf(forward);
        ListenerLevels levels = levels(listener, topics);
        levels.check();
        ForwardProperties.check(forward, levels);
        toShardPlan(topics, shards);
    }

    ShardPlan toShardPlan() {
        return toShardPlan(topics, shards);
    }

    private static ShardPlan toShardPlan(Map<String, TopicProperties> topics, Shards shards) {
        Map<String, Integer> counts = new HashMap<>();
        topics.forEach((topic, properties) -> {
            Integer count = properties.shards();
            if (count != null) {
                String prefix = "delayqueue.topics[" + topic + "]";
                counts.put(topic, InvalidPropertyException.check(prefix, Map.of(), () -> ShardPlan.check(count)));
            }
        });
        return new ShardPlan(counts, shards.onConflict());
    }

    /** Whoever pulls names lease and number; the rest is as for listeners. */
    PullSettings toPullSettings() {
        ListenerOptions options = levels(listener, topics).defaults();
        return new PullSettings(
                engine.sweep(),
                engine.unconfirmedSweep(),
                options.maxAttempts(),
                options.lease().dividedBy(3));
    }

    /** With the retry policies of an application, by the names of their beans. */
    public ListenerLevels listenerLevels(BeanFactory beans) {
        return ListenerLevels.of(listener.defaults(), topics, beans);
    }

    /** Without beans: whatever is none of the built-in policies counts as one. */
    private static ListenerLevels levels(Listener listener, Map<String, TopicProperties> topics) {
        return new ListenerLevels(listener.defaults(), topics, bean -> ListenerOptions.DEFAULTS.retryPolicy());
    }

    /**
     * What a send takes at most.
     *
     * @param maxPayloadSize Largest payload as it is stored, up to 256 MB.
     * @param maxHeadersSize Largest sum of one message's header names and values, up to 16 MB.
     * @param maxDelay How far ahead a message may be due, 1 s to 1,000 years.
     * @param maxBatchElements How many messages one script stores, 1 to 500.
     * @param maxBatchSize How many bytes one script stores, but at least one message; up to 256 MB.
     * @param afterCommitTimeout For how long a send after commit is repeated before the committer is told, 0 to 1 h.
     */
    public record Limits(
            @DefaultValue("1MB") DataSize maxPayloadSize,
            @DefaultValue("64KB") DataSize maxHeadersSize,
            @DefaultValue("3653d") Duration maxDelay,
            @DefaultValue("500") int maxBatchElements,
            @DefaultValue("2MB") DataSize maxBatchSize,
            @DefaultValue("10s") Duration afterCommitTimeout) {

        /** For a template. */
        public SendLimits toLimits() {
            return new SendLimits(
                    bytes(maxPayloadSize), bytes(maxHeadersSize), maxDelay, maxBatchElements, bytes(maxBatchSize));
        }

        /** What is too large for a number is too large for each of these, too. */
        private static int bytes(DataSize size) {
            return (int) Math.max(-1, Math.min(Integer.MAX_VALUE, size.toBytes()));
        }
    }

    /**
     * What to do about topics that are registered with other shards.
     *
     * @param onConflict What to do about a topic that is registered with another number of shards than is set here: fail
     *     (don't start) or follow (warn, and use it as it is registered).
     */
    public record Shards(@DefaultValue("fail") OnConflict onConflict) {}

    /**
     * How listeners, heartbeats and retention are run.
     *
     * @param stepThreads Threads for all periodic work together, 1 to 64; handlers have their own.
     * @param sweep How long a due message waits at most when every signal was lost, 100 ms to 1 min.
     * @param unconfirmedSweep The same while the node does not hear its own signals, at most the sweep.
     * @param heartbeat How often a node says that it lives, 100 ms to 1 min.
     * @param heartbeatTimeout After how long of silence a node counts as dead, at least two heartbeats.
     * @param linger How long an acknowledgement may wait for others while there is more to do, 0 to 1 s.
     * @param confirmAfter A delivery that waited longer for a handler confirms its lease before it starts, 1 ms to 1 min.
     */
    public record Engine(
            @DefaultValue("4") int stepThreads,
            @DefaultValue("5s") Duration sweep,
            @DefaultValue("1s") Duration unconfirmedSweep,
            @DefaultValue("5s") Duration heartbeat,
            @DefaultValue("15s") Duration heartbeatTimeout,
            @DefaultValue("5ms") Duration linger,
            @DefaultValue("1s") Duration confirmAfter) {

        EngineSettings toSettings(DeadLetters deadLetters) {
            return new EngineSettings(
                    stepThreads,
                    sweep,
                    unconfirmedSweep,
                    heartbeat,
                    heartbeatTimeout,
                    linger,
                    confirmAfter,
                    deadLetters.pruneInterval(),
                    deadLetters.maxAge(),
                    deadLetters.maxCount());
        }
    }

    /**
     * For how long dead letters are kept.
     *
     * @param maxAge How long a dead letter is kept, 1 s to 100 years.
     * @param maxCount How many dead letters a topic keeps, 0 or more; the oldest go first.
     * @param pruneInterval How often dead letters are pruned, 100 ms to 1 d; in between there may be more of them.
     */
    public record DeadLetters(
            @DefaultValue("30d") Duration maxAge,
            @DefaultValue("100000") long maxCount,
            @DefaultValue("5m") Duration pruneInterval) {}

    /**
     * The queue's own connections to Redis.
     *
     * @param commandTimeout How long a command may take, more than zero; the application's own time-out if that is
     *     shorter.
     * @param reconnectDelay The longest pause between two attempts to connect, more than zero.
     * @param allowEviction Whether to start on a Redis whose maxmemory-policy may remove messages.
     */
    public record Redis(
            @DefaultValue("5s") Duration commandTimeout,
            @DefaultValue("1s") Duration reconnectDelay,
            @DefaultValue("false") boolean allowEviction) {

        QueueConnections.Settings toSettings() {
            return new QueueConnections.Settings(commandTimeout, reconnectDelay);
        }
    }

    /**
     * What is measured.
     *
     * @param sampleInterval How often topics are counted for metrics and the endpoint, 1 s to 10 min.
     */
    public record Metrics(@DefaultValue("10s") Duration sampleInterval) {

        Metrics check() {
            TopicSampler.checkInterval(sampleInterval);
            return this;
        }
    }

    /**
     * Traces and timers of sends and handling.
     *
     * @param enabled Whether each send and each handling is observed; where there is a tracer, a trace goes on from the
     *     sender to the handler.
     * @param link Whether handling begins a trace of its own that is linked to the sender's, instead of going on with it.
     */
    public record Observation(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("false") boolean link) {}

    /**
     * From when on the health indicator says that something is wrong.
     *
     * @param maxFailing For how long a listener's steps may fail, or be overdue, before the health is DOWN, 1 s to 1 h.
     * @param maxLag How late the oldest due message of a topic may be before the health is OUT_OF_SERVICE, by the topic's
     *     name, more than zero; topics that are not named may be as late as they are.
     */
    public record Health(
            @DefaultValue("10s") Duration maxFailing,
            @DefaultValue Map<String, Duration> maxLag) {

        /** With what else the indicator judges by. */
        public HealthSettings toSettings(Redis redis) {
            return new HealthSettings(maxFailing, maxLag, redis.allowEviction());
        }
    }

    /**
     * What holds for every listener.
     *
     * @param autoStartup Whether listeners start with the application.
     * @param concurrency How many handlers of a listener may run at once, 1 to 10,000.
     * @param batchSize How many messages a call of a batch listener takes at most, 2 to 500.
     * @param lease For how long a delivery is leased, 1 s to 1 d; renewed while it waits or is handled.
     * @param maxAttempts After how many attempts a message goes to the dead letters.
     * @param backoff What follows a failed attempt: "fixed 5s", "exponential 1s x2 max 1h jitter 0.2", a list of
     *     intervals such as "0s,0s,2m,10m", or the name of a RetryPolicy bean.
     * @param notRetryable Exceptions that send a message to the dead letters at once, with their subclasses and
     *     whatever they caused.
     * @param handlingTime For how long a delivery is renewed at most while it is handled.
     * @param prefetch How many deliveries may be claimed beyond those that are handled, 0 to 10,000.
     * @param prefetchTime For how long an unstarted delivery waits before it is handed back.
     * @param drainTime How long a stop waits for running handlers.
     * @param mdc Whether the log lines of handlers carry delayqueue.topic, delayqueue.id and delayqueue.attempt, by
     *     SLF4J's MDC.
     */
    public record Listener(
            @DefaultValue("true") boolean autoStartup,
            @DefaultValue("8") int concurrency,
            @DefaultValue("100") int batchSize,
            @DefaultValue("30s") Duration lease,
            @DefaultValue("10") int maxAttempts,

            @DefaultValue("exponential 1s x2 max 1h jitter 0.2")
            String backoff,

            @DefaultValue List<Class<? extends Throwable>> notRetryable,
            @DefaultValue("1h") Duration handlingTime,
            @DefaultValue("1000") int prefetch,
            @DefaultValue("30s") Duration prefetchTime,
            @DefaultValue("20s") Duration drainTime,
            @DefaultValue("true") boolean mdc) {

        ListenerDefaults defaults() {
            return new ListenerDefaults(
                    concurrency,
                    batchSize,
                    lease,
                    maxAttempts,
                    backoff,
                    notRetryable,
                    handlingTime,
                    prefetch,
                    prefetchTime,
                    drainTime);
        }
    }
}
