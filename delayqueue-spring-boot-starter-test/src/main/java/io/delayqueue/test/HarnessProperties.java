package io.delayqueue.test;

import io.delayqueue.test.autoconfigure.TestRedisMode;
import io.delayqueue.test.tasks.TaskMode;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the support for tests.
 *
 * @param redis Where the Redis of the tests comes from, unless spring.data.redis.* says where Redis is: a server process
 *     of its own, a container, or nowhere.
 * @param timeout How long the harness waits for what a test awaits.
 * @param tasks Who has the queue work: the queue itself in the background, or the test by the harness.
 */
@ConfigurationProperties(prefix = "delayqueue-test", ignoreUnknownFields = false)
record HarnessProperties(
        @DefaultValue("embedded") TestRedisMode redis,
        @DefaultValue("30s") Duration timeout,
        @DefaultValue("background") TaskMode tasks) {}
