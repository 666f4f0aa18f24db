package io.delayqueue.test.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * An application with only this module on its test class path has a Redis.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
class TestRedisContextTests {

    @Test
    void applicationConnectsToRedis(@Autowired StringRedisTemplate redis) {
        redis.opsForValue().set("greeting", "hello");
        assertThat(redis.opsForValue().get("greeting")).isEqualTo("hello");
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}
}
