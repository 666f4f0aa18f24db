/**
 * A real Redis for Spring Boot tests and for running an application from its test class path, without configuration.
 *
 * <p>{@link io.delayqueue.test.autoconfigure.TestRedisAutoConfiguration} describes the conditions. Applications use
 * only the property {@code delayqueue-test.redis}.
 */
@NullMarked
package io.delayqueue.test.autoconfigure;

import org.jspecify.annotations.NullMarked;
