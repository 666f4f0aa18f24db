package io.delayqueue.test.autoconfigure;

import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** A Redis for tests persists nothing, so that the queue does not need to warn of it. Each other property source wins. */
final class TestRedisDefaults implements EnvironmentPostProcessor {

    static final String PROPERTY = "delayqueue.redis.warn-without-persistence";

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        environment
                .getPropertySources()
                .addLast(new MapPropertySource("delayqueue-test-redis", Map.of(PROPERTY, "false")));
    }
}
