package io.delayqueue.broker;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Skips a test class, with a warning, if neither RabbitMQ (Debian's package) nor Docker is available. If the environment
 * variable or system property {@code TEST_RABBITMQ} is {@code required}, the tests run and fail instead.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(RabbitCondition.class)
@interface RequiresRabbit {}
