package io.delayqueue.actuate.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.autoconfigure.QueueContexts;
import io.delayqueue.template.DelayQueueTemplate;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;

/** Whom the lag of a topic is asked of. */
class TopicLagsTests {

    private static final Duration SAMPLED = Duration.ofHours(1);
    private static final Executor CLOSED = task -> {
        throw new RejectedExecutionException("closed");
    };

    private static TopicLags lags(ApplicationContext context, Executor executor, String... wanted) {
        return new TopicLags(
                () -> Map.of("sampled", SAMPLED),
                context.getBean(DelayQueueAdmin.class),
                Set.of(wanted),
                executor,
                System::nanoTime);
    }

    @Test
    void whatIsSampledIsNotAskedFor() {
        QueueContexts.onRedis()
                .run(context -> assertThat(lags(context, CLOSED, "sampled").complete())
                        .isCompletedWithValue(Map.of("sampled", SAMPLED)));
    }

    @Test
    void whatHasToBeKnownAndIsNotSampledIsAskedFor() {
        QueueContexts.onRedis().run(context -> {
            context.getBean(DelayQueueTemplate.class).send("waiting", "text");
            TopicLags lags = lags(context, Runnable::run, "sampled", "waiting", "absent");
            await().untilAsserted(() ->
                    assertThat(lags.complete().join().get("waiting")).isPositive());
            assertThat(lags.complete().join())
                    .containsOnlyKeys("sampled", "waiting", "absent")
                    .containsEntry("sampled", SAMPLED)
                    .containsEntry("absent", Duration.ZERO);
        });
    }

    @Test
    void applicationThatEndsAsksNoMore() {
        QueueContexts.onRedis().run(context -> {
            TopicLags lags = lags(context, CLOSED, "waiting");
            assertThat(lags.complete()).isCompletedExceptionally();
            assertThat(lags.known()).isEqualTo(Map.of("sampled", SAMPLED));
        });
    }
}
