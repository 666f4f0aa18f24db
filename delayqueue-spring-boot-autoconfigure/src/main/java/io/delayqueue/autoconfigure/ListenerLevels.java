package io.delayqueue.autoconfigure;

import io.delayqueue.annotation.BackoffExpression;
import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryPolicy;
import java.util.Map;
import java.util.function.Function;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;

/**
 * What the properties say about listeners: a topic's over everybody's over the built-in values.
 *
 * @param policies finds a retry policy by the name of its bean
 */
record ListenerLevels(
        ListenerDefaults everybody, Map<String, TopicProperties> topics, Function<String, RetryPolicy> policies) {

    static ListenerLevels of(DelayQueueProperties properties, BeanFactory beans) {
        return new ListenerLevels(properties.listener().defaults(), properties.topics(), name -> bean(beans, name));
    }

    /** Checks everything but names of beans. */
    void check() {
        defaults();
        topics.keySet().forEach(this::ofTopic);
    }

    ListenerOptions defaults() {
        return over(ListenerOptions.DEFAULTS, everybody, "delayqueue.listener");
    }

    ListenerOptions ofTopic(String topic) {
        TopicProperties own = topics.get(topic);
        return own == null ? defaults() : over(defaults(), own.listeners(), "delayqueue.topics[" + topic + "]");
    }

    private ListenerOptions over(ListenerOptions lower, ListenerDefaults own, String prefix) {
        return InvalidPropertyException.check(prefix, Map.of(), () -> own.over(lower, this::policy));
    }

    private RetryPolicy policy(String backoff) {
        try {
            return BackoffExpression.matches(backoff) ? BackoffExpression.parse(backoff) : policies.apply(backoff);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("backoff is '" + backoff + "', but " + e.getMessage(), e);
        }
    }

    private static RetryPolicy bean(BeanFactory beans, String name) {
        try {
            return beans.getBean(name, RetryPolicy.class);
        } catch (BeansException e) {
            throw new IllegalArgumentException(
                    "this is neither a back-off such as 'fixed 5s' or '0s,2m,10m' nor a RetryPolicy bean: "
                            + e.getMessage(),
                    e);
        }
    }
}
