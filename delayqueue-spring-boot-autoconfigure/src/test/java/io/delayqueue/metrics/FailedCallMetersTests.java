package io.delayqueue.metrics;

import static io.delayqueue.metrics.DelayQueueMeters.MESSAGES_ACKNOWLEDGED;
import static io.delayqueue.metrics.DelayQueueMeters.REDIS_ERRORS;
import static io.delayqueue.metrics.DelayQueueMeters.TASKS_FAILED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import org.junit.jupiter.api.Test;

/** The meters of calls that fail. */
@EmbeddedRedis(dedicated = true)
class FailedCallMetersTests extends MeterTest {

    private final RedisServerProcess redis;

    FailedCallMetersTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    static class Listener {

        @DelayListener(topic = "t", id = "l")
        void handle(String text) {}
    }

    @Test
    @TestsMeters({REDIS_ERRORS, TASKS_FAILED})
    void failedCallsAreCountedByOperation() {
        start(
                redis,
                Listener.class,
                NO_SAMPLES,
                "delayqueue.engine.sweep=200ms",
                "delayqueue.engine.unconfirmed-sweep=200ms");
        delayQueue().send("t", "please");
        awaitValue(1, MESSAGES_ACKNOWLEDGED, "listener", "l");
        assertThat(value(REDIS_ERRORS)).isZero();
        redis.command("CONFIG", "SET", "maxmemory", "1");
        assertThatThrownBy(() -> delayQueue().send("t", "rejected")).hasMessageContaining("OOM");

        assertThat(value(REDIS_ERRORS, "operation", "send")).isEqualTo(1);
        redis.command("CONFIG", "SET", "maxmemory", "0");
        redis.command("SET", namespace() + ":{t:0.0}:schedule", "of another type");
        awaitMove(REDIS_ERRORS, "operation", "poll");
        awaitMove(TASKS_FAILED);
    }
}
