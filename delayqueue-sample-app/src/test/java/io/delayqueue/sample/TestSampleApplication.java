package io.delayqueue.sample;

import org.springframework.boot.SpringApplication;

/**
 * Starts the application with the test class path, and so with a Redis of its own: what {@code spring-boot:test-run}
 * runs.
 *
 * <p>The Redis is brought by {@code delayqueue-spring-boot-starter-test}: none if {@code spring.data.redis.*} says where
 * one is, else a server on a free port, or with {@code delayqueue-test.redis=docker} one in Docker. It ends with this
 * process. With the profile {@code forward} there is a JMS broker as well.
 */
public final class TestSampleApplication {

    private TestSampleApplication() {}

    public static void main(String[] args) {
        SpringApplication.from(SampleApplication::main)
                .with(EmbeddedBroker.class)
                .run(args);
    }
}
