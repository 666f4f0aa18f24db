package io.delayqueue.metrics;

import static io.delayqueue.metrics.DelayQueueMeters.REDIS_ERRORS;
import static io.delayqueue.metrics.DelayQueueMeters.TASKS_FAILED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import org.junit.jupiter.api.Test;

/** The meters of an outage. */
class OutageMetersTests extends MeterTest {

    static class Listener {

        @DelayListener(topic = "t", id = "l")
        void handle(String text) {}
    }

    @Test
    @Moves({REDIS_ERRORS, TASKS_FAILED})
    void failedCallsAreCountedByOperation() {
        try (RedisServerProcess redis = RedisServerProcess.start();
                FaultProxy proxy = FaultProxy.inFrontOf(redis)) {
            start(
                    proxy.port(),
                    Listener.class,
                    NO_SAMPLES,
                    "delayqueue.redis.command-timeout=3s",
                    "delayqueue.engine.sweep=200ms",
                    "delayqueue.engine.unconfirmed-sweep=200ms",
                    "delayqueue.engine.heartbeat=200ms",
                    "delayqueue.engine.heartbeat-timeout=1s");
            delayQueue().send("t", "please");
            awaitValue(1, DelayQueueMeters.MESSAGES_ACKNOWLEDGED, "listener", "l");
            assertThat(value(REDIS_ERRORS)).isZero();
            proxy.refuse();
            assertThatThrownBy(() -> delayQueue().send("t", "lost")).isInstanceOf(DelayQueueException.class);

            assertThat(value(REDIS_ERRORS, "operation", "send")).isEqualTo(1);
            awaitMove(REDIS_ERRORS, "operation", "poll");
            awaitMove(REDIS_ERRORS, "operation", "heartbeat");
            awaitMove(TASKS_FAILED);
            proxy.pass();
            application().close();
        }
    }

    @Test
    void errorReplyOfRedisIsCounted() {
        try (RedisServerProcess redis = RedisServerProcess.start()) {
            start(redis, SentMetersTests.NoListener.class, NO_SAMPLES);
            delayQueue().send("t", "stored");
            redis.command("CONFIG", "SET", "maxmemory", "1");
            assertThatThrownBy(() -> delayQueue().send("t", "rejected")).hasMessageContaining("OOM");

            assertThat(value(REDIS_ERRORS, "operation", "send")).isEqualTo(1);
            application().close();
        }
    }
}
