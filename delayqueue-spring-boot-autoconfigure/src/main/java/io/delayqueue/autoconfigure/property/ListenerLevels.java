package io.delayqueue.autoconfigure.property;

import io.delayqueue.annotation.BackoffExpression;
import io.delayqueue.autoconfigure.failure.InvalidPropertyException;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryPolicy;
import java.util.Map;
import java.util.function.Function;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;

/**
 * What the properties say about listeners: a topic's over everybody's over the built-in values. Immutable.
 *
 * @param everybody what holds for all
 * @param topics what holds for a topic, by its name
 * @param policies finds a retry policy by the name of its bean
 */
public record ListenerLevels(
        ListenerDefaults everybody, Map<String, TopicProperties> topics, Function<String, RetryPolicy> policies) {

    /** With the policies of an application. */
    public static ListenerLevels of(
            ListenerDefaults everybody, Map<String, TopicProperties> topics, BeanFactory beans) {
        return new ListenerLevels(everybody, topics, name -> bean(beans, name));
    }

    /** Checks everything but names of beans. */
    public void check() {
        defaults();
        topics.keySet().forEach(this::ofTopic);
    }

    /** What holds for listeners of no topic in particular. */
    public ListenerOptions defaults() {
        return over(ListenerOptions.DEFAULTS, everybody, "delayqueue.listener");
    }

    /** What holds for the listeners of a topic. */
    public ListenerOptions ofTopic(String topic) {
        TopicProperties own = topics.get(topic);
        return own == null ? defaults() : over(defaults(), own.listeners(), "delayqueue.topics[" + topic + "]");
    }

    /**
     * What a declaration says over what holds below it.
     *
     * @param prefix what its properties begin with
     * @throws InvalidPropertyException in a sentence that names the property
     */
    public ListenerOptions over(ListenerOptions lower, ListenerDefaults own, String prefix) {
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
