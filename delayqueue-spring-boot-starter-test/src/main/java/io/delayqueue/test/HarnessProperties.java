package io.delayqueue.test;

import io.delayqueue.test.autoconfigure.TestRedisMode;
import io.delayqueue.test.tasks.TaskMode;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the test support.
 *
 * @param redis The kind of Redis for tests: embedded (a server process), docker (a container) or none. It does not apply
 *     if spring.data.redis.* sets the address of Redis.
 * @param redisDirectory Directory in which an embedded Redis persists its data, so that an application that is started
 *     again finds its messages. If empty, it persists nothing.
 * @param timeout Timeout of the await methods of the harness, and of a handler while it advances the time.
 * @param tasks How the queue's tasks run: in the background, or manually by the harness.
 */
@ConfigurationProperties(prefix = "delayqueue-test", ignoreUnknownFields = false)
record HarnessProperties(
        @DefaultValue("embedded") TestRedisMode redis,
        @DefaultValue("") String redisDirectory,
        @DefaultValue("30s") Duration timeout,
        @DefaultValue("background") TaskMode tasks) {
    // Others read redis, redisDirectory and tasks. They are bound for the metadata and to reject invalid values.
}
