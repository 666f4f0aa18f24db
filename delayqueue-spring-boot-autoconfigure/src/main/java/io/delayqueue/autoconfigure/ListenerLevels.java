package io.delayqueue.autoconfigure;

import io.delayqueue.annotation.BackoffExpression;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryPolicy;
import org.springframework.beans.factory.BeanFactory;

/** What the properties say about listeners: a topic's over everybody's over the built-in values. */
record ListenerLevels(DelayQueueProperties properties, BeanFactory beans) {

    ListenerOptions defaults() {
        return over(ListenerOptions.DEFAULTS, properties.listener().defaults(), "delayqueue.listener");
    }

    ListenerOptions ofTopic(String topic) {
        ListenerDefaults own = properties.topics().get(topic);
        return own == null ? defaults() : over(defaults(), own, "delayqueue.topics[" + topic + "]");
    }

    private ListenerOptions over(ListenerOptions lower, ListenerDefaults own, String where) {
        try {
            return own.over(lower, this::policy);
        } catch (IllegalArgumentException e) {
            throw new InvalidListenerPropertiesException(where, String.valueOf(e.getMessage()), e);
        }
    }

    private RetryPolicy policy(String backoff) {
        return BackoffExpression.matches(backoff)
                ? BackoffExpression.parse(backoff)
                : beans.getBean(backoff, RetryPolicy.class);
    }
}
