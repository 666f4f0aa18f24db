package io.delayqueue.test.autoconfigure;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The kind of Redis for an application's tests: the values of {@code delayqueue-test.redis}.
 */
public enum TestRedisMode {

    /** A server process on this machine, or Docker if there is no executable for the platform. The default. */
    EMBEDDED,

    /** A container. The start fails without a Docker engine or without Testcontainers on the class path. */
    DOCKER,

    /** None: Spring Boot's own configuration applies. */
    NONE;

    static final String PROPERTY = "delayqueue-test.redis";

    static TestRedisMode of(Environment environment) {
        return Binder.get(environment).bind(PROPERTY, TestRedisMode.class).orElse(EMBEDDED);
    }
}
