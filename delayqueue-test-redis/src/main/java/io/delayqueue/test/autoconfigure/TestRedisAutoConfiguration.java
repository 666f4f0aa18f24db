package io.delayqueue.test.autoconfigure;

import java.nio.file.Path;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of a real Redis for tests. It starts when the first application context of the JVM connects to
 * Redis, is shared by all contexts and ends with the JVM. An embedded server persists nothing, unless {@code
 * delayqueue-test.redis-directory} is set.
 *
 * <p>It is not configured if {@code spring.data.redis.url}, {@code host}, {@code port}, {@code sentinel.nodes},
 * {@code cluster.nodes} or {@code masterreplica.nodes} is set, if there is a {@link DataRedisConnectionDetails} bean
 * (such as a container with {@code @ServiceConnection}), or if {@code delayqueue-test.redis} is {@code none}. The
 * properties for user, password and TLS do not apply to it. The property for the database applies. See
 * {@link TestRedisMode} for the kinds of servers.
 *
 * <p>If no server is available, the bean that connects fails with a {@code TestRedisUnavailableException}.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@Conditional(OnTestRedisCondition.class)
public final class TestRedisAutoConfiguration {

    /** Created by Spring. */
    public TestRedisAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(DataRedisConnectionDetails.class)
    TestRedisConnectionDetails testRedisConnectionDetails(Environment environment) {
        TestRedisMode mode = TestRedisMode.of(environment);
        int database = Binder.get(environment)
                .bind("spring.data.redis.database", Integer.class)
                .orElse(0);
        Path directory = Path.of(environment.getProperty(TestRedisConnectionDetails.DIRECTORY, ""));
        return new TestRedisConnectionDetails(() -> JvmRedis.get().address(mode, directory), database);
    }
}
