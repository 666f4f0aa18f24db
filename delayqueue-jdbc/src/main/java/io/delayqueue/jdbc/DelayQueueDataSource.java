package io.delayqueue.jdbc;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@code DataSource} bean, and the bean of its transaction manager, whose database contains the tables of the
 * delay queue. Not required if there is one of each, or a primary one. Only transactions on this data source use the
 * outbox and listeners with {@code once}.
 *
 * <p>This mark is for the database. {@link io.delayqueue.autoconfigure.DelayQueueConnectionFactory
 * DelayQueueConnectionFactory} marks the connection factory of Redis.
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface DelayQueueDataSource {}
