package io.delayqueue.autoconfigure.property;

import io.delayqueue.annotation.RetryPolicies;
import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryPolicy;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Names;
import java.util.Map;
import java.util.function.Function;
import org.springframework.beans.factory.BeanFactory;

/**
 * The listener options that the properties set. Options of a topic take precedence over common options. Common options
 * take precedence over the built-in defaults. Immutable.
 *
 * @param common the options of all listeners
 * @param topics the options of the listeners of a topic, by the topic's name
 * @param policies parses a retry policy
 */
public record ListenerLevels(
        ListenerProperties common, Map<String, TopicProperties> topics, Function<String, RetryPolicy> policies) {

    /** A listener of batches takes up to 100 messages; a factory applies the batch size to no other listener. */
    private static final ListenerOptions BUILT_IN =
            ListenerOptions.DEFAULTS.toBuilder().batchSize(100).build();

    /** Creates levels that look up retry policies by name among the application's beans. */
    public static ListenerLevels of(ListenerProperties common, Map<String, TopicProperties> topics, BeanFactory beans) {
        return new ListenerLevels(common, topics, text -> RetryPolicies.read(text, beans));
    }

    /**
     * Checks all values, including those that no listener uses.
     *
     * @throws InvalidPropertyException if a value is invalid; the message names the property
     */
    public void check() {
        defaults();
        topics.keySet().forEach(topic -> {
            InvalidPropertyException.check(prefix(topic), () -> Names.checkTopic(topic));
            ofTopic(topic);
        });
    }

    /** The options of listeners whose topic has no options of its own. */
    public ListenerOptions defaults() {
        return override(BUILT_IN, common, "delayqueue.listener");
    }

    /** The options of the listeners of a topic. */
    public ListenerOptions ofTopic(String topic) {
        TopicProperties own = topics.get(topic);
        return own == null ? defaults() : override(defaults(), own, prefix(topic));
    }

    /** Whether properties set the concurrency of the listeners of a topic. */
    public boolean setConcurrencyOf(String topic) {
        TopicProperties own = topics.get(topic);
        return common.concurrency() != null || (own != null && own.concurrency() != null);
    }

    private static String prefix(String topic) {
        return "delayqueue.topics[" + topic + "]";
    }

    /**
     * The options of a lower level, overridden by the properties that are set.
     *
     * @param prefix the prefix of the properties
     * @throws InvalidPropertyException if a value is invalid; the message names the property
     */
    ListenerOptions override(ListenerOptions lower, ListenerProperties own, String prefix) {
        ListenerOptions.Builder options = lower.toBuilder();
        apply(own, prefix, options);
        return InvalidPropertyException.check(prefix, options::build);
    }

    /**
     * Sets the options whose properties are set.
     *
     * @param prefix the prefix of the properties
     * @throws InvalidPropertyException if a value is invalid; the message names the property
     */
    public void apply(ListenerProperties own, String prefix, ListenerOptions.Builder options) {
        InvalidPropertyException.check(prefix, () -> {
            own.applyTo(options, this::policy);
            return options;
        });
    }

    private RetryPolicy policy(String backoff) {
        try {
            return policies.apply(backoff);
        } catch (IllegalArgumentException e) {
            throw new InvalidOptionException("backoff", "is '" + backoff + "', " + e.getMessage(), e);
        }
    }
}
