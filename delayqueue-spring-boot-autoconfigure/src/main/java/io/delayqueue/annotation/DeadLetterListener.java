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
 * Has a method called at least once for each message of a topic that dies from now on, also when the process that
 * buried it was killed right after. One of the topic's dead-letter listeners gets it.
 *
 * <pre>{@code
 * @DeadLetterListener(topic = "order-cancel")
 * void onDeath(DeadLetter letter) { … }
 * }</pre>
 *
 * <p><b>Arguments.</b> The {@link io.delayqueue.message.DeadLetter DeadLetter}, and as with {@link DelayListener} the
 * payload, headers and {@code Message<T>} of the message that died; {@code Delivery} and {@code Acknowledgement} are
 * those of the notice. A payload that can't be converted, as it is with a letter that died of just that, is null for a
 * parameter {@code @Payload(required = false)}, and a failure for any other.
 *
 * <p><b>Failures</b> are retried by the default policy ({@code delayqueue.listener}). After the last one the event
 * {@code deathNoticeDropped} tells of it and it is logged; the letter stays. A letter that is gone by then (replayed,
 * purged) brings no call.
 *
 * <p>Attributes are strings with placeholders and SpEL. May be repeated, and may stand on annotations of one's own.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(DeadLetterListeners.class)
@MessageMapping
public @interface DeadLetterListener {

    /** The same as {@link #topic()}. */
    @AliasFor("topic")
    String value() default "";

    /** The topic whose dead letters are meant, 1 to 128 bytes. */
    @AliasFor("value")
    String topic() default "";

    /** The id, unique in the application; by default {@code bean.method}, with {@code #2} and so on where taken. */
    String id() default "";

    /** How many calls may run at once, 1 to 10,000; by default 1. */
    String concurrency() default "";

    /** Whether the listener starts with the application; by default {@code delayqueue.listener.auto-startup}. */
    String autoStartup() default "";

    /** The name of a {@link DelayListenerContainerFactory} bean; by default the auto-configured one. */
    String containerFactory() default "";
}
