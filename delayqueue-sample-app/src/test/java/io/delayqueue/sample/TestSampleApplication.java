package io.delayqueue.sample;

import org.springframework.boot.SpringApplication;

/**
 * Starts the application with the test class path, as {@code spring-boot:test-run} does.
 *
 * <p>{@code delayqueue-spring-boot-starter-test} provides a Redis: a server process, or a container if
 * {@code delayqueue-test.redis} is {@code docker}. It ends with this process. The server process persists its messages
 * beside the orders, so that both are there at the next start. If {@code spring.data.redis.*} sets an address, that Redis
 * is used. With the profile {@code forward} there is also a JMS broker.
 */
public final class TestSampleApplication {

    private TestSampleApplication() {}

    public static void main(String[] args) {
        System.setProperty("delayqueue-test.redis-directory", "${sample.data}/redis");
        SpringApplication.from(SampleApplication::main)
                .with(EmbeddedBroker.class)
                .run(args);
    }
}
