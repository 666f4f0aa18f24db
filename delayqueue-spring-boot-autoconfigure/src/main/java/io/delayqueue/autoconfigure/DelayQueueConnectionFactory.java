package io.delayqueue.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@code LettuceConnectionFactory} or {@code JedisConnectionFactory} bean from which the delay queue derives its
 * connections, if there are several or if the queue has a Redis of its own. The queue connects with Lettuce and does not
 * change the bean.
 *
 * <p>This mark is for Redis. {@code @DelayQueueDataSource} of delayqueue-jdbc marks the database of the outbox.
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface DelayQueueConnectionFactory {}
