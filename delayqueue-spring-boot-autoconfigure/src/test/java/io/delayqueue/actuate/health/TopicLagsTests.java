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

    private final Map<String, CompletableFuture<Duration>> reads = new HashMap<>();

    private TopicLags lags(String... required) {
        return new TopicLags(() -> Map.of("sampled", SAMPLED), this::read, Set.of(required), () -> 0);
    }

    private CompletableFuture<Duration> read(String topic) {
        CompletableFuture<Duration> read = new CompletableFuture<>();
        reads.put(topic, read);
        return read;
    }

    @Test
    void sampledLagIsNotReadFromRedis() {
        assertThat(lags("sampled").request())
                .hasEntrySatisfying("sampled", lag -> assertThat(lag).isCompletedWithValue(SAMPLED));
        assertThat(reads).isEmpty();
    }

    @Test
    void requiredLagWithoutASampleIsReadFromRedis() {
        Map<String, CompletableFuture<Duration>> lags =
                lags("sampled", "waiting").request();

        assertThat(lags).containsOnlyKeys("sampled", "waiting");
        assertThat(lags.get("waiting")).isNotDone();
        reads.get("waiting").complete(Duration.ofSeconds(2));
        assertThat(lags.get("waiting")).isCompletedWithValue(Duration.ofSeconds(2));
    }

    @Test
    void laterRequestKeepsTheResultOfAnEarlierOne() {
        TopicLags lags = lags("waiting");
        CompletableFuture<Duration> first = lags.request().get("waiting");
        reads.get("waiting").complete(Duration.ofSeconds(2));

        assertThat(lags.request().get("waiting")).isNotDone();
        assertThat(first).isCompletedWithValue(Duration.ofSeconds(2));
    }
}
