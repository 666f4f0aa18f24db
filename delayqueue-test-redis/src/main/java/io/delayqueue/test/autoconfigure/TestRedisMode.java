package io.delayqueue.test.autoconfigure;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Where the Redis of an application's tests comes from: the values of {@code delayqueue-test.redis}.
 */
public enum TestRedisMode {

    /** A server process on this machine; Docker where there is no executable for the platform. The default. */
    EMBEDDED,

    /** A container; the start fails where no Docker engine answers or Testcontainers is not on the class path. */
    DOCKER,

    /** None: Spring Boot's own configuration applies. */
    NONE;

    static final String PROPERTY = "delayqueue-test.redis";

    static TestRedisMode of(Environment environment) {
        return Binder.get(environment).bind(PROPERTY, TestRedisMode.class).orElse(EMBEDDED);
    }
}
