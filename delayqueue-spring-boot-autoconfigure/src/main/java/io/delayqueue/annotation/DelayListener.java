package io.delayqueue.annotation;

import io.delayqueue.listener.ListenerOptions;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.messaging.handler.annotation.MessageMapping;

/**
 * Has a method handle the messages of a topic when they are due.
 *
 * <pre>{@code
 * @DelayListener(topic = "order-cancel", concurrency = "8")
 * void cancel(CancelOrder order) { … }
 * }</pre>
 *
 * <p><b>Arguments.</b> The payload, converted to the parameter's type, is the one parameter without an annotation that
 * is none of the following, or the one with {@code @Payload}; with {@code @Valid} or {@code @Validated} it is validated.
 * Besides: {@code @Header}, {@code @Headers}, {@code Message<T>},
 * {@link io.delayqueue.listener.Delivery Delivery} and
 * {@link io.delayqueue.listener.Acknowledgement Acknowledgement}. Standard headers are named in
 * {@link io.delayqueue.listener.DelayHeaders DelayHeaders}.
 *
 * <p><b>Batches.</b> A parameter {@code List<T>} takes several messages in one call: {@code T} is the payload,
 * {@code Message<P>} or {@code Delivery}; elements are not validated. There may be several such lists, and nothing else; a
 * payload that is itself a list is taken as an array. An exception fails all of them, a
 * {@link io.delayqueue.listener.BatchFailureException BatchFailureException} those that it names.
 *
 * <p><b>Result.</b> A method that ends well has acknowledged, one that throws has failed: the retry policy decides what
 * follows. Permitted are {@code void}, a {@code CompletionStage}, and single-value types such as {@code Mono} or those
 * of a Kotlin {@code suspend} function: acknowledged when they complete, and the permit is held until then.
 *
 * <p><b>Attributes</b> are strings with placeholders and SpEL ({@code "#{…}"}); an empty one leaves the choice to
 * {@code delayqueue.topics[name]}, then to {@code delayqueue.listener}, then to {@link ListenerOptions#DEFAULTS}. A
 * duration is written {@code 30s}, {@code 2m}, {@code 1h30m} or {@code PT30S}. What can't be run as it is declared fails
 * the application's start with an {@link InvalidListenerException}.
 *
 * <p>May be repeated, and may stand on annotations of one's own.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(DelayListeners.class)
@MessageMapping
public @interface DelayListener {

    /** The same as {@link #topic()}. */
    @AliasFor("topic")
    String value() default "";

    /** The topic, 1 to 128 bytes. */
    @AliasFor("value")
    String topic() default "";

    /**
     * The id, unique in the application: the name under which the listener is started, stopped, measured and logged. By
     * default {@code bean.method}, with {@code #2} and so on where that is taken.
     */
    String id() default "";

    /** How many handlers may run at once, 1 to 10,000. */
    String concurrency() default "";

    /**
     * How many messages a call takes at most, 1 to 500; only for a method that takes a list, where the default is that
     * of the topic if it is more than 1, else 100.
     */
    String batchSize() default "";

    /** For how long a delivery is leased, 1 s to 1 d; it is renewed while it waits for a handler or is handled. */
    String lease() default "";

    /** After how many attempts a message goes to the dead letters, 1 or more. */
    String maxAttempts() default "";

    /**
     * What follows a failed attempt: an expression of {@link BackoffExpression}, such as {@code fixed 5s},
     * {@code exponential 1s x2 max 1h jitter 0.2} or {@code 0s,0s,2m,10m}, or else the name of a bean of type
     * {@link io.delayqueue.listener.RetryPolicy RetryPolicy}.
     */
    String backoff() default "";

    /**
     * Exceptions, with their subclasses and whatever they caused, that send a message to the dead letters at once. Given
     * any, they replace those of lower levels.
     */
    Class<? extends Throwable>[] notRetryable() default {};

    /** For how long a delivery is renewed at most while it is handled, 1 s or more and not less than the lease. */
    String handlingTime() default "";

    /** How many deliveries may be claimed beyond those that are handled, 0 to 10,000. */
    String prefetch() default "";

    /** For how long an unstarted delivery waits before it is handed back. */
    String prefetchTime() default "";

    /** How long a stop waits for running handlers. */
    String drainTime() default "";

    /** Whether the listener starts with the application; by default {@code delayqueue.listener.auto-startup}. */
    String autoStartup() default "";

    /** The name of a {@link DelayListenerContainerFactory} bean; by default the auto-configured one. */
    String containerFactory() default "";
}
