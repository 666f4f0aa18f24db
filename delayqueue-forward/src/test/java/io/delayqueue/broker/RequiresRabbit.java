package io.delayqueue.broker;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The tests of a class need RabbitMQ: Debian's package, or Docker. Where there is neither they are skipped with a notification,
 * unless the environment variable or system property {@code DELAYQUEUE_RABBITMQ} is {@code required}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(RabbitCondition.class)
@interface RequiresRabbit {}
