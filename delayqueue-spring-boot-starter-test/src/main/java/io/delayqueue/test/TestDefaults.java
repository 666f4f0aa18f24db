package io.delayqueue.test;

import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** Defaults of the queue in tests: a payload that its listener could not read fails the send. */
final class TestDefaults implements EnvironmentPostProcessor {

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "delayqueue-test", Map.of("delayqueue.payload.on-failed-read-back", "reject")));
    }
}
