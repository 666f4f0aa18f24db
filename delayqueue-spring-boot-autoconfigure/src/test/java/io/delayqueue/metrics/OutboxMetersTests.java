package io.delayqueue.metrics;

import static io.delayqueue.metrics.DelayQueueMeters.FINDINGS;
import static io.delayqueue.metrics.DelayQueueMeters.OUTBOX_AGE;
import static io.delayqueue.metrics.DelayQueueMeters.OUTBOX_ERRORS;
import static io.delayqueue.metrics.DelayQueueMeters.OUTBOX_MESSAGES;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.TopicSampler;
import io.delayqueue.event.EventBus;
import io.delayqueue.template.CommitOutbox;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;

@EmbeddedRedis
class OutboxMetersTests extends MeterTest {

    private final RedisServerProcess redis;

    OutboxMetersTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    static class WithOutbox {

        @Bean
        CommitOutbox outbox() {
            return new FilledOutbox();
        }
    }

    @Test
    @TestsMeters({OUTBOX_MESSAGES, OUTBOX_AGE, OUTBOX_ERRORS})
    void theOutboxIsShown() {
        start(redis, WithOutbox.class, NO_SAMPLES);

        assertThat(value(OUTBOX_MESSAGES, "state", "waiting")).isEqualTo(3);
        assertThat(value(OUTBOX_MESSAGES, "state", "set_aside")).isEqualTo(2);
        assertThat(value(OUTBOX_AGE)).isEqualTo(90);
        bean(EventBus.class).publish(to -> to.outboxFailed(new IllegalStateException("no database"), Duration.ZERO));
        assertThat(value(OUTBOX_ERRORS)).isEqualTo(1);
        sample(bean(TopicSampler.class));
        assertThat(value(FINDINGS, "level", "critical", "kind", "outbox", "topic", "none", "node", "none"))
                .isEqualTo(1);
    }

    @Test
    void withoutAnOutboxThereAreNoGauges() {
        start(redis, SentMetersTests.NoListener.class, NO_SAMPLES);

        assertThat(registry().find(OUTBOX_MESSAGES.getName()).meters()).isEmpty();
        assertThat(registry().find(OUTBOX_AGE.getName()).meters()).isEmpty();
    }
}
