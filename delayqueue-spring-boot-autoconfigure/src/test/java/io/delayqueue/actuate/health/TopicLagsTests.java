package io.delayqueue.actuate.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Sources of the lags of topics. */
class TopicLagsTests {

    private static final Duration SAMPLED = Duration.ofHours(1);

    private final Map<String, CompletableFuture<Duration>> asked = new HashMap<>();

    private TopicLags lags(String... wanted) {
        return new TopicLags(
                () -> Map.of("sampled", SAMPLED),
                topic -> asked.computeIfAbsent(topic, each -> new CompletableFuture<>()),
                Set.of(wanted),
                System::nanoTime);
    }

    private CompletableFuture<Duration> asked(String topic) {
        return asked.getOrDefault(topic, CompletableFuture.failedFuture(new AssertionError(topic + " was not asked")));
    }

    @Test
    void sampledLagIsNotReadFromRedis() {
        TopicLags lags = lags("sampled");

        assertThat(lags.complete()).isCompleted();
        assertThat(asked).isEmpty();
        assertThat(lags.known()).isEqualTo(Map.of("sampled", SAMPLED));
    }

    @Test
    void requiredLagWithoutASampleIsReadFromRedis() {
        TopicLags lags = lags("sampled", "waiting");

        CompletableFuture<Void> complete = lags.complete();
        assertThat(complete).isNotDone();
        asked("waiting").complete(Duration.ofSeconds(2));

        assertThat(complete).isCompleted();
        assertThat(lags.known()).isEqualTo(Map.of("sampled", SAMPLED, "waiting", Duration.ofSeconds(2)));
    }

    @Test
    void topicWithoutAReplyHidesNoOther() {
        TopicLags lags = lags("waiting", "failing", "pending");

        CompletableFuture<Void> complete = lags.complete();
        asked("waiting").complete(Duration.ofSeconds(2));
        asked("failing").completeExceptionally(new IllegalStateException("of no use"));

        assertThat(complete).isNotDone();
        assertThat(lags.known()).containsOnlyKeys("sampled", "waiting");
        asked("pending").complete(Duration.ZERO);
        assertThat(complete).isCompleted();
        assertThat(lags.known()).containsOnlyKeys("sampled", "waiting", "pending");
    }
}
