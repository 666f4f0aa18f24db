package io.delayqueue.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** An application on Jedis keeps it, and uses the whole queue. */
class JedisApplicationTests {

    private static final Map<String, String> ON_JEDIS =
            Map.of("spring.data.redis.client-type", "jedis", "logging.level.root", "error");

    @ParameterizedTest
    @EnumSource
    void applicationOnJedisUsesTheWholeQueue(Access access) {
        try (RunningRedis redis = access.start(TestServer.embedded());
                ConfigurableApplicationContext context = CompatibilityApplication.start(redis, ON_JEDIS)) {
            assertThat(context.getBean(RedisConnectionFactory.class)).isInstanceOf(JedisConnectionFactory.class);
            assertThat(new Exercise(context, Duration.ofSeconds(20)).until(message -> true))
                    .isNull();
        }
    }
}
