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
 * The method handles the messages of a topic, or of several topics, when they are due.
 *
 * <pre>{@code
 * @DelayListener(topic = "order-cancel", concurrency = "8")
 * void cancel(CancelOrder order) { … }
 * }</pre>
 *
 * <p><b>Arguments.</b> The payload is the parameter with {@code @Payload}, or the only parameter without an
 * annotation and with none of the types below. It is converted to the parameter's type and, with {@code @Valid} or
 * {@code @Validated}, validated. Further parameters: {@code @Header}, {@code @Headers}, {@code Message<T>}, {@link
 * io.delayqueue.listener.Delivery Delivery} and {@link io.delayqueue.listener.Acknowledgement Acknowledgement}.
 * {@link io.delayqueue.listener.DelayHeaders DelayHeaders} defines the standard headers.
 *
 * <p><b>Batches.</b> A parameter {@code List<T>} takes several messages in one call: {@code T} is the payload, {@code
 * Message<P>} or {@code Delivery}. Elements are not validated. A batch method may have several such lists, and no
 * other parameters. Use an array for a payload that is itself a list. An exception fails the whole batch; a {@link
 * io.delayqueue.listener.BatchFailureException BatchFailureException} fails the messages that it names.
 *
 * <p><b>Result.</b> If the method returns normally, the message is acknowledged. If it throws, the attempt has failed
 * and the retry policy decides what follows. The return type is {@code void}, a {@code CompletionStage}, or a
 * single-value type such as {@code Mono} or the type of a Kotlin {@code suspend} function. An asynchronous result
 * settles the message when it completes; the concurrency permit is held until then.
 *
 * <p><b>Attributes</b> are strings with placeholders and SpEL ({@code "#{…}"}). The value of an empty attribute comes
 * from {@code delayqueue.topics[name]}, then from {@code delayqueue.listener}, then from {@link
 * ListenerOptions#DEFAULTS}. A duration has the format {@code 30s}, {@code 2m}, {@code 1h30m} or {@code PT30S}. An
 * invalid declaration fails the application's start with an {@link InvalidListenerException}.
 *
 * <p>The annotation is repeatable and may be used as a meta-annotation.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(DelayListener.List.class)
@MessageMapping
public @interface DelayListener {

    /** Alias for {@link #topic()}. */
    @AliasFor("topic")
    String[] value() default {};

    /**
     * The topic, 1 to 128 bytes of UTF-8, or several topics. An expression may return an array or a collection. Each topic
     * has a listener of its own, with the same attributes: a concurrency, meters and dead letters for each topic.
     */
    @AliasFor("value")
    String[] topic() default {};

    /**
     * The id, unique in the application, which identifies the listener in the registry, meters and logs. {@code
     * bean.method} by default, followed by {@code #2} and so on if that is taken. If there are several topics, the listener
     * of each has this id, followed by {@code -} and the topic, as in {@code orders.cancel-order-cancel}.
     */
    String id() default "";

    /** Maximum number of concurrent handler calls for each topic, 1 to 10,000. */
    String concurrency() default "";

    /**
     * Maximum number of messages of one call, 1 to 500. Only for a method that takes a list. With Spring Boot, the
     * built-in default is 100.
     */
    String batchSize() default "";

    /**
     * Length of a delivery's lease, 1 s to 1 d. The engine renews it while the delivery waits for a handler or is
     * handled.
     */
    String lease() default "";

    /** Number of attempts after which a message is dead-lettered, 1 or more. */
    String maxAttempts() default "";

    /** Number of postponements that a message may have, 0 for unlimited; the next one dead-letters it. */
    String maxPostponements() default "";

    /**
     * What follows a failed attempt: a {@link BackoffExpression} such as {@code fixed 5s}, {@code exponential 1s x2
     * max 1h jitter 0.2} or {@code 0s,0s,2m,10m}, or the name of a bean of type {@link
     * io.delayqueue.listener.RetryPolicy RetryPolicy}.
     */
    String backoff() default "";

    /**
     * Exceptions that dead-letter a message at once; subclasses and exceptions with such a cause count too. A
     * non-empty list replaces the lists of the properties.
     */
    Class<? extends Throwable>[] notRetryable() default {};

    /**
     * Exceptions which mean that a system that the method needs is unavailable; subclasses and exceptions with such a
     * cause count too, and {@link io.delayqueue.listener.DependencyUnavailableException DependencyUnavailableException}
     * always does. The attempt does not count, and the listener claims no messages on this node until the system is
     * available. A non-empty list replaces the lists of the properties.
     */
    Class<? extends Throwable>[] unavailableOn() default {};

    /**
     * Maximum time for which the lease is renewed while a delivery is handled, 1 s to 365 d and not less than the
     * lease.
     */
    String handlingTime() default "";

    /** Maximum number of deliveries claimed in addition to those being handled, 0 to 10,000. */
    String prefetch() default "";

    /** Maximum time for which a delivery waits for a handler before it is released, 1 ms to 1 d. */
    String prefetchTime() default "";

    /** Maximum time for which a stop waits for running handlers, 0 to 1 d. */
    String drainTime() default "";

    /**
     * Whether the method has its effect on the application's database once for each send of a message, although a
     * message may be delivered more than once; {@code false} by default. Requires {@code io.delayqueue:delayqueue-jdbc}
     * and a {@code DataSource} with its transaction manager.
     *
     * <p>The method is called in a transaction, which also records the message as handled. A method with {@code
     * @Transactional} joins this transaction. A delivery of a recorded message is acknowledged without a call, and the
     * method gets a batch without the recorded messages. The transaction is rolled back if the method throws any
     * exception; a {@link io.delayqueue.listener.BatchFailureException BatchFailureException} fails the whole batch.
     *
     * <p>The method must return {@code void}. It settles its messages by returning or throwing: it must not have an
     * {@link io.delayqueue.listener.Acknowledgement Acknowledgement} parameter, and that of a {@link
     * io.delayqueue.listener.Delivery Delivery} can only extend the lease.
     */
    String once() default "";

    /**
     * A cron expression of six fields or a macro, as Spring's {@code @Scheduled} has: the method is called at these times, once
     * for all processes, without a send. {@code -} is no schedule, as is no value. The method must not take a payload; the time
     * is in the header {@link io.delayqueue.listener.DelayHeaders#SLOT SLOT}.
     *
     * <p>The id of the listener is the id of the {@link io.delayqueue.message.Schedule Schedule}. Set {@link #id()}, so that
     * the schedule stays the same if the method is renamed.
     */
    String cron() default "";

    /** The time zone of {@link #cron()}, such as {@code Europe/Paris}; that of the JVM by default. */
    String zone() default "";

    /** Whether the listener starts with the application; {@code delayqueue.listener.auto-startup} by default. */
    String autoStartup() default "";

    /** The name of a {@link DelayListenerContainerFactory} bean; the auto-configured bean by default. */
    String containerFactory() default "";

    /** Container annotation for several {@link DelayListener}s on one method. */
    @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @MessageMapping
    public @interface List {

        /** The listeners. */
        DelayListener[] value();
    }
}
