package io.delayqueue.autoconfigure;

import io.delayqueue.Internal;
import io.delayqueue.actuate.Overview.Links;
import io.delayqueue.actuate.health.HealthSettings;
import io.delayqueue.admin.HandlerForecasts;
import io.delayqueue.admin.IdleTopics;
import io.delayqueue.admin.TopicSampler;
import io.delayqueue.admin.diagnosis.QueueDiagnosis;
import io.delayqueue.annotation.RetryPolicies;
import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.autoconfigure.property.ForwardProperties;
import io.delayqueue.autoconfigure.property.HttpProperties;
import io.delayqueue.autoconfigure.property.ListenerLevels;
import io.delayqueue.autoconfigure.property.ListenerProperties;
import io.delayqueue.autoconfigure.property.NamedEntries;
import io.delayqueue.autoconfigure.property.OnceProperties;
import io.delayqueue.autoconfigure.property.OutboxProperties;
import io.delayqueue.autoconfigure.property.TopicProperties;
import io.delayqueue.container.EngineSettings;
import io.delayqueue.convert.JsonPayloadConverter.OnAbsentPrimitive;
import io.delayqueue.convert.PayloadCodec.OnProblem;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.Durability;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardPlan.OnConflict;
import io.delayqueue.template.SendLimits;
import io.delayqueue.template.receive.ReceiveSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the delay queue. An unknown key fails the application's start.
 *
 * @param enabled Whether the delay queue is configured.
 * @param namespace First part of every key and channel in Redis, 1 to 64 letters, digits, dots, dashes or underscores.
 *     Namespaces on the same Redis are independent of each other.
 * @param allowedHosts Host names by which requests without HTTPS and authentication may use the dashboard, the endpoint and
 *     unsecured HTTP interfaces, such as queue.example.com. Addresses, names without a dot, and names that end with
 *     .localhost, .internal, .local or .svc are always allowed.
 * @param listener Options of all listeners. Options of a topic or of a listener's annotation take precedence.
 * @param topics Options of a topic, by its name: name (if the key is only a label), shards (number of shards, 1 to 1,024), keys (ordered:
 *     messages of one key are handled one at a time, in order; fair: the keys share the starts of deliveries equally; or none), max-concurrent, max-concurrent-per-key, rate, rate-burst and max-messages (limits of the topic over all nodes), max-lateness (agreed lateness, from which the number of handlers that the topic needs is forecast, 1 s to 1 d; by default 1 m), durability (confirmation that sends, cancels, reschedules and settlements of receivers wait for: replicas 1 within 500ms, fsynced 1 within 2s,
 *     or none) and, for its listeners, the keys of delayqueue.listener except auto-startup and mdc. Attributes of a
 *     listener's annotation take precedence.
 * @param shards Conflicts about the number of shards of a topic.
 * @param limits Limits of sends.
 * @param payload Payloads that cannot be read.
 * @param engine Periodic tasks, sweeps, heartbeats and acknowledgements.
 * @param deadLetters Retention of dead letters.
 * @param metrics Samples of topics.
 * @param dashboard Links of the dashboard.
 * @param health Thresholds of the health indicator.
 * @param redis The queue's own connections to Redis.
 * @param observation Micrometer observations of sends, receive calls and handling.
 * @param http HTTP interfaces for clients in other languages.
 * @param once Listeners with once, which require the artifact delayqueue-jdbc.
 * @param forward Topics whose messages are forwarded to a message broker: topic, to, destination, routing-key, pub-sub,
 *     send-timeout (30 s), id, and the keys of delayqueue.listener except auto-startup, batch-size, max-postponements
 *     and mdc, which take precedence over the options of the topic.
 * @param outbox The transactional outbox of delayqueue-jdbc.
 */
@Internal
@ConfigurationProperties(prefix = "delayqueue", ignoreUnknownFields = false)
public record DelayQueueProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("dq") String namespace,
        @DefaultValue Set<String> allowedHosts,
        @DefaultValue Listener listener,
        @DefaultValue Map<String, TopicProperties> topics,
        @DefaultValue Shards shards,
        @DefaultValue Limits limits,
        @DefaultValue Payload payload,
        @DefaultValue Engine engine,
        @DefaultValue DeadLetters deadLetters,
        @DefaultValue Metrics metrics,
        @DefaultValue Dashboard dashboard,
        @DefaultValue Health health,
        @DefaultValue Redis redis,
        @DefaultValue Observation observation,
        @NestedConfigurationProperty @DefaultValue HttpProperties http,
        @DefaultValue List<ForwardProperties> forward,
        @NestedConfigurationProperty @DefaultValue OutboxProperties outbox,
        @NestedConfigurationProperty @DefaultValue OnceProperties once) {

    private static final Map<String, String> DEAD_LETTER_PROPERTIES = Map.of(
            "retentionInterval", "delayqueue.dead-letters.prune-interval",
            "deadLetterMaxAge", "delayqueue.dead-letters.max-age",
            "deadLetterMaxCount", "delayqueue.dead-letters.max-count",
            "deadLetterMaxBytes", "delayqueue.dead-letters.max-size");

    /** Checks each value, so that an invalid one fails the application's start even if it is not used. */
    public DelayQueueProperties {
        InvalidPropertyException.check("delayqueue", () -> new KeySpace(namespace));
        InvalidPropertyException.check("delayqueue.limits", limits::toLimits);
        InvalidPropertyException.check(
                "delayqueue.engine", DEAD_LETTER_PROPERTIES, () -> engine.toSettings(deadLetters));
        InvalidPropertyException.check("delayqueue.metrics", metrics::check);
        InvalidPropertyException.check("delayqueue.dashboard", dashboard::toLinks);
        InvalidPropertyException.check("delayqueue.redis", redis::toSettings);
        Health givenHealth = health;
        InvalidPropertyException.check("delayqueue.health", () -> givenHealth.toSettings(redis));
        InvalidPropertyException.check("delayqueue.health", () -> givenHealth.toLimits(redis));
        http.check();
        InvalidPropertyException.check("delayqueue.outbox", outbox::check);
        InvalidPropertyException.check("delayqueue.once", once::check);
        health = health.ofTopics(topics);
        topics = NamedEntries.byName("delayqueue.topics", topics, TopicProperties::name);
        forward = List.copyOf(forward);
        ListenerLevels levels = levels(listener, topics);
        levels.check();
        ForwardProperties.check(forward, levels);
        toShardPlan(topics, shards);
        toLimits(topics);
        toDurability(topics);
        toMaxLateness(topics);
    }

    /** The limits of each topic that has some. */
    Map<String, TopicLimits> toTopicLimits() {
        return toLimits(topics);
    }

    private static Map<String, TopicLimits> toLimits(Map<String, TopicProperties> topics) {
        Map<String, TopicLimits> byTopic = new HashMap<>();
        topics.forEach((topic, properties) -> {
            String prefix = "delayqueue.topics[" + topic + "]";
            TopicLimits limits = InvalidPropertyException.check(prefix, properties::toLimits);
            if (limits.isNone()) {
                return;
            }
            Integer shards = properties.shards();
            if (shards != null && shards > 1) {
                throw InvalidPropertyException.of(
                        prefix + ".shards",
                        "is " + shards + ", but must be 1, because a topic with limits has one shard");
            }
            Shard.Keys keys = properties.keys();
            if (limits.maxConcurrentPerKey() != null && keys != null && keys != Shard.Keys.FAIR) {
                throw InvalidPropertyException.of(
                        prefix + ".keys",
                        "is " + keys.name().toLowerCase(Locale.ROOT)
                                + ", but must be fair, because the topic has max-concurrent-per-key");
            }
            byTopic.put(topic, limits);
        });
        return byTopic;
    }

    /** The durability of each topic. */
    Function<String, Durability> toDurability() {
        Map<String, Durability> byTopic = toDurability(topics);
        return topic -> byTopic.getOrDefault(topic, Durability.NONE);
    }

    private static Map<String, Durability> toDurability(Map<String, TopicProperties> topics) {
        Map<String, Durability> byTopic = new HashMap<>();
        topics.forEach((topic, properties) -> {
            String text = properties.durability();
            if (text != null) {
                String prefix = "delayqueue.topics[" + topic + "]";
                byTopic.put(topic, InvalidPropertyException.check(prefix, () -> Durability.parse(text)));
            }
        });
        return byTopic;
    }

    /** The agreed lateness of each topic. */
    public Function<String, Duration> toMaxLateness() {
        Map<String, Duration> byTopic = toMaxLateness(topics);
        return topic -> byTopic.getOrDefault(topic, HandlerForecasts.DEFAULT_MAX_LATENESS);
    }

    private static Map<String, Duration> toMaxLateness(Map<String, TopicProperties> topics) {
        Map<String, Duration> byTopic = new HashMap<>();
        topics.forEach((topic, properties) -> byTopic.put(
                topic, InvalidPropertyException.check("delayqueue.topics[" + topic + "]", properties::toMaxLateness)));
        return byTopic;
    }

    ShardPlan toShardPlan() {
        return toShardPlan(topics, shards);
    }

    private static ShardPlan toShardPlan(Map<String, TopicProperties> topics, Shards shards) {
        Map<String, Integer> counts = new HashMap<>();
        Map<String, Shard.Keys> keys = new HashMap<>();
        topics.forEach((topic, properties) -> {
            Integer count = properties.shards();
            if (count != null) {
                String prefix = "delayqueue.topics[" + topic + "]";
                counts.put(topic, InvalidPropertyException.check(prefix, () -> ShardPlan.check(count)));
            }
            Shard.Keys meaning = properties.keys();
            if (meaning != null) {
                keys.put(topic, meaning);
                if (meaning != Shard.Keys.NONE && count != null && count > 1) {
                    throw InvalidPropertyException.of(
                            "delayqueue.topics[" + topic + "].shards",
                            "is " + count + ", but must be 1, because a topic with keys has one shard");
                }
            }
        });
        return new ShardPlan(counts, keys, shards.onConflict());
    }

    /** The default lease of the receivers of each topic. */
    Function<String, Duration> toLease() {
        ListenerLevels levels = levels(listener, topics);
        Map<String, Duration> byTopic = new HashMap<>();
        topics.keySet()
                .forEach(topic -> byTopic.put(topic, levels.ofTopic(topic).lease()));
        Duration common = levels.defaults().lease();
        return topic -> byTopic.getOrDefault(topic, common);
    }

    /** Settings of a receiver. */
    ReceiveSettings toReceiveSettings() {
        ListenerOptions options = listenerOptions();
        Duration grace = options.lease().dividedBy(3); // listeners renew their leases within this time
        return new ReceiveSettings(
                engine.sweep(),
                engine.unconfirmedSweep(),
                options.maxAttempts(),
                options.maxPostponements(),
                engine.toCrashLimits(),
                grace);
    }

    /**
     * The options of listeners whose topic has no options of its own. A retry policy that names a bean is replaced by
     * the default policy.
     */
    public ListenerOptions listenerOptions() {
        return levels(listener, topics).defaults();
    }

    /** The options of listeners, with retry policies looked up by name among the application's beans. */
    public ListenerLevels listenerLevels(BeanFactory beans) {
        return ListenerLevels.of(listener, topics, beans);
    }

    /** The options of listeners without beans: a retry policy that names a bean is replaced by the default policy. */
    private static ListenerLevels levels(Listener listener, Map<String, TopicProperties> topics) {
        return new ListenerLevels(
                listener, topics, text -> RetryPolicies.read(text, name -> ListenerOptions.DEFAULTS.retryPolicy()));
    }

    /**
     * Limits of sends.
     *
     * @param maxPayloadSize Maximum size of a payload as stored, up to 256 MB.
     * @param maxHeadersSize Maximum total size of the header names and values of a message, up to 16 MB.
     * @param maxDelay Maximum delay of a message, 1 s to 1,000 years.
     * @param maxBatchElements Maximum number of messages that one script call stores, 1 to 500.
     * @param maxBatchSize Maximum number of bytes that one script call stores, up to 256 MB. A larger message is stored
     *     by a call of its own.
     * @param afterCommitTimeout Maximum time for which a send or cancel after a commit is retried, 0 to 1 h. Then the
     *     commit call fails with an exception.
     */
    public record Limits(
            @DefaultValue("1MB") DataSize maxPayloadSize,
            @DefaultValue("64KB") DataSize maxHeadersSize,
            @DefaultValue("3653d") Duration maxDelay,
            @DefaultValue("500") int maxBatchElements,
            @DefaultValue("2MB") DataSize maxBatchSize,
            @DefaultValue("10s") Duration afterCommitTimeout) {

        /** The limits of a template. */
        public SendLimits toLimits() {
            return new SendLimits(
                    bytes(maxPayloadSize), bytes(maxHeadersSize), maxDelay, maxBatchElements, bytes(maxBatchSize));
        }

        /**
         * Converts a size to bytes. A size beyond the range of int becomes another value that the range checks reject.
         */
        private static int bytes(DataSize size) {
            return (int) Math.max(-1, Math.min(Integer.MAX_VALUE, size.toBytes()));
        }
    }

    /**
     * Payloads that cannot be read.
     *
     * @param onFailedReadBack Reaction to a payload that is sent and could not be read when it is due: warn, once for each
     *     class and topic, or reject (the send fails; the default of delayqueue-spring-boot-starter-test).
     * @param onAbsentPrimitive Meaning of a constructor parameter or record component with a primitive type that a JSON
     *     payload lacks: zero (0 or false) or reject (the payload is unreadable).
     * @param onMismatch Reaction to a JSON payload that shares no property with the record or class that a listener takes:
     *     reject (the payload is unreadable, and its message becomes a dead letter) or warn, once for each class and topic.
     */
    public record Payload(
            @DefaultValue("warn") OnProblem onFailedReadBack,
            @DefaultValue("zero") OnAbsentPrimitive onAbsentPrimitive,
            @DefaultValue("reject") OnProblem onMismatch) {}

    /**
     * Conflicts about the number of shards of a topic.
     *
     * @param onConflict Reaction to a topic that is registered with another number of shards, or another meaning of keys, than
     *     configured: fail (the application does not start) or follow (a warning is logged and the topic is used as it is
     *     registered).
     */
    public record Shards(@DefaultValue("fail") OnConflict onConflict) {}

    /**
     * Periodic tasks, sweeps, heartbeats and acknowledgements.
     *
     * @param taskThreads Number of threads for the periodic tasks of the node, 1 to 64, beside one that begins those
     *     that are due. Handlers run on threads of their own.
     * @param sweep Interval between sweeps of a shard, 100 ms to 1 min. If signals are lost, a due message waits at
     *     most this long.
     * @param unconfirmedSweep Interval between sweeps while the node does not receive its own signals, at most the
     *     value of sweep.
     * @param heartbeat Interval between heartbeats of a node, 100 ms to 1 min.
     * @param heartbeatTimeout Time without a heartbeat after which a node is considered unavailable, at least twice the
     *     heartbeat interval.
     * @param linger Maximum time for which an acknowledgement waits to be sent together with others while the listener
     *     has more work, 0 to 1 s.
     * @param confirmAfter If a delivery waits longer than this for a handler, its lease is confirmed before the handler
     *     starts, 1 ms to 1 min.
     * @param isolateAfterCrashes Number of crashes from which on a message is handled in isolation, 1 to 1,000. A crash
     *     is the end of a listener's lease without a settlement. A settlement resets the number.
     * @param crashLimit Number of crashes in isolation after which a message becomes a dead letter, 1 to 1,000.
     * @param slowIfFailingAlone Whether a listener claims one message a second while nearly all of its attempts fail on
     *     this node and succeed on another.
     */
    public record Engine(
            @DefaultValue("4") int taskThreads,
            @DefaultValue("5s") Duration sweep,
            @DefaultValue("1s") Duration unconfirmedSweep,
            @DefaultValue("5s") Duration heartbeat,
            @DefaultValue("15s") Duration heartbeatTimeout,
            @DefaultValue("5ms") Duration linger,
            @DefaultValue("1s") Duration confirmAfter,
            @DefaultValue("2") int isolateAfterCrashes,
            @DefaultValue("3") int crashLimit,
            @DefaultValue("true") boolean slowIfFailingAlone) {

        CrashLimits toCrashLimits() {
            return new CrashLimits(isolateAfterCrashes, crashLimit);
        }

        EngineSettings toSettings(DeadLetters deadLetters) {
            return new EngineSettings(
                    taskThreads,
                    sweep,
                    unconfirmedSweep,
                    heartbeat,
                    heartbeatTimeout,
                    linger,
                    confirmAfter,
                    toCrashLimits(),
                    slowIfFailingAlone,
                    deadLetters.pruneInterval(),
                    deadLetters.maxAge(),
                    deadLetters.maxCount(),
                    deadLetters.maxSize().toBytes());
        }
    }

    /**
     * Retention of dead letters.
     *
     * @param maxAge Maximum age of a dead letter, 1 s to 100 years. Older dead letters are removed.
     * @param maxCount Maximum number of dead letters of a topic, 0 or more. The oldest are removed first.
     * @param maxSize Maximum total size of the dead letters of a topic, 0 or more. The oldest are removed first. If a
     *     shard has more than 500 dead letters, their size is estimated.
     * @param pruneInterval Interval between removals of dead letters beyond these limits, 100 ms to 1 d. In between, a
     *     topic may exceed the limits.
     */
    public record DeadLetters(
            @DefaultValue("30d") Duration maxAge,
            @DefaultValue("100000") long maxCount,
            @DefaultValue("256MB") DataSize maxSize,
            @DefaultValue("5m") Duration pruneInterval) {}

    /**
     * The queue's own connections to Redis.
     *
     * @param commandTimeout Timeout of a Redis command, greater than zero. If the application's own connection has a
     *     shorter timeout, that one is used.
     * @param reconnectDelay Maximum delay between two attempts to connect, greater than zero.
     * @param allowEviction Whether the application starts if the maxmemory-policy of Redis may evict messages.
     * @param warnWithoutPersistence Whether a warning is logged at the start if Redis writes no append-only file. The default
     *     of delayqueue-test-redis is false, because a Redis for tests persists nothing.
     */
    public record Redis(
            @DefaultValue("5s") Duration commandTimeout,
            @DefaultValue("1s") Duration reconnectDelay,
            @DefaultValue("false") boolean allowEviction,
            @DefaultValue("true") boolean warnWithoutPersistence) {

        QueueConnections.Settings toSettings() {
            return new QueueConnections.Settings(commandTimeout, reconnectDelay);
        }
    }

    /**
     * Samples of topics.
     *
     * @param sampleInterval Interval between samples of all topics, which metrics and the endpoint show, 1 s to 10 min.
     * @param forgetTopicsAfter Time after which a topic with one shard, no messages and no consumers is deleted by a
     *     node that samples topics, 1 s to 365 d. If 0, no topic is deleted.
     * @param maxTopics Maximum number of topics that have meters of their own, 0 to 100000. Further topics share meters
     *     with the topic (other).
     * @param countByHeader Name of a header, such as tenant, by whose value each listener counts its attempts. A value
     *     whose attempts fail is a finding. If empty, attempts are not counted by a header.
     */
    public record Metrics(
            @DefaultValue("10s") Duration sampleInterval,
            @DefaultValue("1d") Duration forgetTopicsAfter,
            @DefaultValue("500") int maxTopics,
            @DefaultValue("") String countByHeader) {

        private static final int MAX_TOPICS = 100_000;

        Metrics check() {
            TopicSampler.checkInterval(sampleInterval);
            IdleTopics.checkAfter(forgetTopicsAfter);
            InvalidOptionException.requireRange("maxTopics", maxTopics, 0, MAX_TOPICS);
            return this;
        }
    }

    /**
     * Links of the dashboard.
     *
     * @param traceUrl Address of a trace, in which {traceId} is replaced, such as
     *     https://tracing.example.com/trace/{traceId}. Without it, the dashboard shows the ids of traces only.
     * @param runbookUrl Address of the runbook, to which each finding links. Its anchors are the kinds of findings.
     */
    public record Dashboard(
            @Nullable String traceUrl,

            @DefaultValue("https://github.com/delayqueue/delayqueue/blob/main/docs/operations/README.md")
            String runbookUrl) {

        private static final Pattern ADDRESS = Pattern.compile("(https?:/)?/\\S+");

        /** Checks and returns the links. */
        public Links toLinks() {
            check("traceUrl", traceUrl == null ? "/" + Links.TRACE_ID : traceUrl);
            InvalidOptionException.require(
                    traceUrl == null || traceUrl.contains(Links.TRACE_ID),
                    "traceUrl",
                    "must contain " + Links.TRACE_ID + ", but was '" + traceUrl + "'");
            check("runbookUrl", runbookUrl);
            return new Links(traceUrl, runbookUrl);
        }

        private static void check(String option, String address) {
            InvalidOptionException.require(
                    ADDRESS.matcher(address).matches(),
                    option,
                    "must begin with https://, http:// or /, but was '" + address + "'");
        }
    }

    /**
     * Micrometer observations of sends, receive calls and handling.
     *
     * @param enabled Whether each send, each receive call and each handling is observed. If there is a tracer, the
     *     handler continues the trace of the sender.
     * @param link Whether the handler starts a new trace that is linked to the trace of the sender instead of
     *     continuing it.
     * @param convention Names of observations and their keys: delayqueue, or open-telemetry (the messaging.* names of
     *     OpenTelemetry's semantic conventions).
     */
    public record Observation(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("false") boolean link,
            @DefaultValue("delayqueue") Convention convention) {

        /** Built-in names. */
        public enum Convention {

            /** {@code delayqueue.*}. */
            DELAYQUEUE,

            /** {@code messaging.*}. */
            OPEN_TELEMETRY
        }
    }

    /**
     * Thresholds of the health indicator.
     *
     * @param maxFailing Time for which a listener's polls may fail or be overdue before the health status is DOWN, 1 s
     *     to 1 h.
     * @param maxLag Maximum lag of a topic, by its name or the label of its entry in delayqueue.topics, greater than zero. If the lag is greater or unknown, the
     *     health status is OUT_OF_SERVICE. Other topics are late after 10 s, and the health status is DEGRADED.
     * @param maxFailureRate Failure rate of a topic's attempts within a minute, over all nodes, more than 0 and at most
     *     1. If the rate reaches it, and at least five attempts failed, the health status is DEGRADED.
     * @param maxOutboxAge Time for which the oldest row of the outbox may wait for Redis, 1 s to 1 d. If it waits longer,
     *     the health status is DEGRADED.
     */
    public record Health(
            @DefaultValue("10s") Duration maxFailing,
            @DefaultValue Map<String, Duration> maxLag,
            @DefaultValue("0.5") double maxFailureRate,
            @DefaultValue("1m") Duration maxOutboxAge) {

        /** The settings of the indicator. */
        public HealthSettings toSettings(Redis redis) {
            InvalidOptionException.requireRange(
                    "maxOutboxAge", maxOutboxAge, Duration.ofSeconds(1), Duration.ofDays(1));
            return new HealthSettings(maxFailing, maxLag, redis.allowEviction());
        }

        /** Replaces the labels of topics by their names. */
        Health ofTopics(Map<String, TopicProperties> topics) {
            Map<String, Duration> byName = NamedEntries.byName("delayqueue.health.max-lag", maxLag, (label, lag) -> {
                TopicProperties topic = topics.get(label);
                return topic == null ? null : topic.name();
            });
            return new Health(maxFailing, byName, maxFailureRate, maxOutboxAge);
        }

        QueueDiagnosis.Limits toLimits(Redis redis) {
            return new QueueDiagnosis.Limits(
                    QueueDiagnosis.Limits.DEFAULT_MAX_LAG, maxLag, maxFailureRate, redis.allowEviction());
        }
    }

    /**
     * Options of all listeners.
     *
     * @param autoStartup Whether listeners start with the application.
     * @param mdc Whether SLF4J's MDC contains delayqueue.topic, delayqueue.id and delayqueue.attempt while a handler
     *     runs.
     * @param concurrency Maximum number of handlers of a listener that run at the same time, 1 to 10,000.
     * @param batchSize Maximum number of messages that a batch listener receives in one call, 1 to 500.
     * @param lease Duration of a lease, 1 s to 1 d. It is renewed while the delivery waits for a handler or is handled. The
     *     default lease of receivers, which is not renewed.
     * @param maxAttempts Number of attempts after which a message is dead-lettered, 1 or more.
     * @param maxPostponements Number of postponements that a message may have. The next one dead-letters it. If 0, the
     *     number is unlimited.
     * @param backoff Delay after a failed attempt: "fixed 5s", "exponential 1s x2 max 1h jitter 0.2", a list of delays
     *     such as "0s,0s,2m,10m", or the name of a RetryPolicy bean.
     * @param notRetryable Exceptions after which a message is dead-lettered without a retry. Subclasses, and exceptions
     *     with such a cause, are included.
     * @param unavailableOn Exceptions which mean that a system that the handlers need is unavailable. Subclasses, and
     *     exceptions with such a cause, are included. The attempt does not count, and the listener claims no messages on
     *     this node until the system is available.
     * @param handlingTime Maximum time for which a lease is renewed while the delivery is handled, from the lease to
     *     365 d.
     * @param prefetch Maximum number of deliveries that are claimed in addition to those being handled, 0 to 10,000.
     * @param prefetchTime Maximum time for which a delivery waits for a handler before it is released, 1 ms to 1 d.
     * @param drainTime Maximum time for which a stopping listener waits for its running handlers, 0 to 1 d.
     */
    public record Listener(
            @DefaultValue("true") boolean autoStartup,
            @DefaultValue("true") boolean mdc,
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
}
