package io.delayqueue.actuate.health;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.diagnosis.Diagnosis;
import io.delayqueue.admin.diagnosis.Finding;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.server.ServerProbe;
import io.delayqueue.store.script.TopicRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Status and problems, with a clock and replies that the test controls. */
class DelayQueueHealthIndicatorTests {

    private static final KeySpace KEYS = new KeySpace("dq");
    private static final Diagnosis NOTHING_FOUND = new Diagnosis(List.of(), List.of(), Map.of());

    private final AtomicLong nanos = new AtomicLong();
    private CompletableFuture<List<Object>> server = serverReply();
    private CompletableFuture<Duration> lag = CompletableFuture.completedFuture(Duration.ZERO);
    private Map<String, Duration> maxLag = Map.of();
    private Diagnosis diagnosis = NOTHING_FOUND;

    private static CompletableFuture<List<Object>> serverReply() {
        return CompletableFuture.completedFuture(Stream.of("0", "8.2.0", "0", "noeviction", "1", "1", "master", "0", "")
                .map(text -> (Object) text.getBytes(UTF_8))
                .toList());
    }

    /** Each read of the clock takes 400 ms. */
    private long nanoTime() {
        return nanos.addAndGet(Duration.ofMillis(400).toNanos());
    }

    private Health health(ManagedListener... listeners) {
        TopicRegistry topics = new TopicRegistry(call -> new CompletableFuture<>(), KEYS);
        return new DelayQueueHealthIndicator(
                        new ServerProbe(call -> server, KEYS, InstantSource.system(), () -> 0),
                        () -> List.of(listeners),
                        () -> true,
                        new TopicLags(Map::of, topic -> lag, Set.copyOf(maxLag.keySet()), () -> 0),
                        () -> CompletableFuture.completedFuture(diagnosis),
                        topics,
                        new HealthSettings(Duration.ofSeconds(30), maxLag, false),
                        this::nanoTime)
                .health();
    }

    private static ManagedListener listener(String id, ListenerProgress progress) {
        return listener(id, "running", progress);
    }

    private static ManagedListener listener(String id, String state, ListenerProgress progress) {
        return (ManagedListener) Proxy.newProxyInstance(
                ManagedListener.class.getClassLoader(),
                new Class<?>[] {ManagedListener.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "id", "topic" -> id;
                    case "isRunning" -> !state.equals("stopped");
                    case "isPaused" -> state.equals("paused");
                    case "pauses" -> List.of();
                    case "progress" -> progress;
                    default -> throw new AssertionError(method);
                });
    }

    private static ListenerProgress failing(Duration time, Throwable failure) {
        return new ListenerProgress(Duration.ofHours(1), time, failure, Duration.ZERO);
    }

    @SuppressWarnings("unchecked")
    private static List<String> problems(Health health) {
        return (List<String>) health.getDetails().getOrDefault("problems", List.of());
    }

    @Test
    void idleListenerIsUp() {
        Health health = health(
                listener("idle", new ListenerProgress(Duration.ofDays(1), null, null, Duration.ZERO)),
                listener("unassigned", ListenerProgress.NONE));

        assertThat(health.getStatus()).as(health.toString()).isEqualTo(Status.UP);
    }

    @Test
    void serverThatDoesNotReplyWithinASecondIsDown() {
        server = new CompletableFuture<>();

        Health health = health();

        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(problems(health)).containsExactly("Redis did not respond within 1 s");
    }

    @Test
    void unavailableServerIsTheOnlyProblemOfLagsThatCannotBeRead() {
        server = CompletableFuture.failedFuture(
                new RedisCallException(RedisCallException.Kind.NOT_SENT, "no connection", null));
        lag = CompletableFuture.failedFuture(new IllegalStateException());
        maxLag = Map.of("late", Duration.ofSeconds(1));

        Health health = health();

        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(problems(health)).containsExactly("no connection");
        assertThat(health.getDetails().get("topics"))
                .isEqualTo(Map.of("late", Map.of("lagMillis", "unknown", "maxLagMillis", 1000L)));
    }

    @Test
    void listenerThatFailsForTooLongIsDown() {
        RedisCallException failure = new RedisCallException(RedisCallException.Kind.REJECTED, "WRONGTYPE", null);
        Health early = health(listener("texts", failing(Duration.ofMillis(29_999), failure)));
        Health late = health(listener("texts", failing(Duration.ofSeconds(30), failure)));

        assertThat(early.getStatus()).isEqualTo(Status.UP);
        assertThat(early.getDetails().get("listeners").toString()).contains("failure=WRONGTYPE");
        assertThat(late.getStatus()).isEqualTo(Status.DOWN);
        assertThat(problems(late)).containsExactly("Listener texts has been failing for 30 s: WRONGTYPE");
    }

    @ParameterizedTest
    @ValueSource(strings = {"paused", "stopped"})
    void pausedOrStoppedListenerIsReportedAndUp(String state) {
        ListenerProgress progress = state.equals("stopped")
                ? failing(Duration.ofHours(1), new IllegalStateException())
                : ListenerProgress.NONE;
        Health health = health(listener("texts", state, progress));

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails().get("listeners").toString())
                .contains("state=" + state)
                .doesNotContain("failure");
    }

    @Test
    void listenerWhosePollIsOverdueForTooLongIsDown() {
        Health health = health(listener("texts", new ListenerProgress(null, null, null, Duration.ofSeconds(31))));

        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(problems(health)).containsExactly("The next poll of listener texts has been due for 31 s");
    }

    @Test
    void textOfAForeignExceptionIsOmitted() {
        Health health =
                health(listener("texts", failing(Duration.ofHours(1), new IllegalStateException("the card of Jane"))));

        assertThat(health.toString())
                .contains("java.lang.IllegalStateException")
                .doesNotContain("Jane");
    }

    @Test
    void criticalFindingDegradesAndAWarningDoesNot() {
        diagnosis = found(Level.WARNING, Kind.NODE_FAILED, "Node a failed.", null);
        Health warned = health();
        diagnosis = found(Level.CRITICAL, Kind.FAILING, "most attempts fail.", "payment");
        Health degraded = health();

        assertThat(warned.getStatus()).isEqualTo(Status.UP);
        assertThat(warned.getDetails().get("warnings")).isEqualTo(List.of("Node a failed."));
        assertThat(degraded.getStatus()).isEqualTo(new Status("DEGRADED"));
        assertThat(problems(degraded)).containsExactly("Topic payment: most attempts fail.");
    }

    @Test
    void lagIsComparedWithTheMaximumOfItsTopicOnly() {
        diagnosis = found(Level.CRITICAL, Kind.LATE, "late.", "late");
        lag = CompletableFuture.completedFuture(Duration.ofSeconds(61));
        maxLag = Map.of("late", Duration.ofMinutes(1));
        Health exceeded = health();
        lag = CompletableFuture.completedFuture(Duration.ofSeconds(60));
        Health permitted = health();

        assertThat(exceeded.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(problems(exceeded))
                .containsExactly("Topic late has a lag of 1 min 1 s, which exceeds the maximum of 1 min");
        assertThat(permitted.getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void unknownLagOfATopicWithAMaximumIsOutOfService() {
        lag = CompletableFuture.failedFuture(new IllegalStateException());
        maxLag = Map.of("broken", Duration.ofHours(1));
        Health health = health();

        assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(problems(health))
                .containsExactly(
                        "The lag of topic broken is unknown, so that it cannot be compared with the maximum of 1 h");
    }

    private static Diagnosis found(Level level, Kind kind, String text, @Nullable String topic) {
        Finding finding = new Finding(
                level, kind, text, null, topic == null ? List.of() : List.of(topic), null, 1, Instant.EPOCH);
        return new Diagnosis(List.of(finding), List.of(finding), Map.of());
    }
}
