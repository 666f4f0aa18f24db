package io.delayqueue.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.messaging.handler.annotation.MessageMapping;

/**
 * The method handles dead letters of a topic, or of several topics. It is called at least once for each message that is dead-lettered after
 * its first start, even if the process that dead-lettered the message was killed immediately afterwards. One of the
 * topic's dead-letter listeners gets each dead letter.
 *
 * <pre>{@code
 * @DeadLetterListener(topic = "order-cancel")
 * void onDeadLetter(DeadLetter deadLetter) { … }
 * }</pre>
 *
 * <p><b>Arguments.</b> The {@link io.delayqueue.message.DeadLetter DeadLetter}; the payload, headers and {@code
 * Message<T>} of the dead-lettered message, as with {@link DelayListener}; and {@code Delivery} and {@code
 * Acknowledgement} of the notification. A payload that can't be converted is null for a parameter {@code
 * @Payload(required = false)} and fails the call for any other payload parameter.
 *
 * <p><b>Failures</b> are retried by the default policy ({@code delayqueue.listener}). After the last one the event
 * {@code notificationDropped} is published and logged; the dead letter stays. If the dead letter was replayed or
 * purged in the meantime, the method is not called.
 *
 * <p>Attributes are strings with placeholders and SpEL. The annotation is repeatable and may be used as a
 * meta-annotation.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(DeadLetterListener.List.class)
@MessageMapping
public @interface DeadLetterListener {

    /** Alias for {@link #topic()}. */
    @AliasFor("topic")
    String[] value() default {};

    /**
     * The topic whose dead letters are handled, 1 to 128 bytes of UTF-8, or several topics. An expression may return an array
     * or a collection. Each topic has a listener of its own, with the same attributes.
     */
    @AliasFor("value")
    String[] topic() default {};

    /**
     * The id, unique in the application; {@code bean.method} by default, followed by {@code #2} and so on if that is taken.
     * If there are several topics, the listener of each has this id, followed by {@code -} and the topic.
     */
    String id() default "";

    /** Maximum number of concurrent calls for each topic, 1 to 10,000; 1 by default. */
    String concurrency() default "";

    /** Whether the listener starts with the application; {@code delayqueue.listener.auto-startup} by default. */
    String autoStartup() default "";

    /** The name of a {@link DelayListenerContainerFactory} bean; the auto-configured bean by default. */
    String containerFactory() default "";

    /** Container annotation for several {@link DeadLetterListener}s on one method. */
    @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @MessageMapping
    public @interface List {

        /** The listeners. */
        DeadLetterListener[] value();
    }
}
