package io.delayqueue.admin.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.FormerNode;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.message.Counts;
import io.delayqueue.redis.server.ServerState;
import io.delayqueue.redis.server.ServerState.AppendOnly;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Findings about Redis itself, and findings that they explain. */
class RedisRuleTests {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String NOREPLICAS = "NOREPLICAS Not enough good replicas to write.";
    private static final String OOM = "OOM command not allowed when used memory > 'maxmemory'.";

    private Instant clock = NOW;
    private final QueueDiagnosis diagnosis = Diagnoses.diagnosis(() -> clock);

    private static ServerState server(
            String server, boolean heartbeats, long used, long max, String policy, @Nullable String refusal) {
        return new ServerState(
                server,
                heartbeats,
                "7.0.15",
                max << 20,
                policy,
                AppendOnly.ON,
                used << 20,
                "master",
                0,
                refusal,
                NOW,
                Duration.ZERO,
                Duration.ZERO);
    }

    private static ServerState server(long used, long max, @Nullable String refusal) {
        return server("", true, used, max, "noeviction", refusal);
    }

    private List<Finding> diagnose(ServerState... servers) {
        TopicStatus topic = TopicStatusBuilder.topic("t")
                .counts(Counts.of(0, 5, 0, 0, 0, 0, Duration.ofMinutes(1)))
                .consumers(0)
                .build();
        FormerNode failed = new FormerNode("n", "shop-1", 42, NOW, NOW, true, List.of("t"));
        Nodes nodes = new Nodes(clock, List.of(), List.of(failed));
        return diagnosis
                .diagnose(List.of(topic), nodes, List.of(servers), List.of())
                .all();
    }

    private static List<Finding> ofRedis(List<Finding> all) {
        return all.stream().filter(each -> each.kind() == Kind.REDIS).toList();
    }

    private static List<Kind> kinds(List<Finding> all) {
        return all.stream().map(Finding::kind).toList();
    }

    @Test
    void healthyServerIsNoFinding() {
        assertThat(ofRedis(diagnose(server(79, 100, null), server(500, 0, null), server(-1, -1, null))))
                .isEmpty();
    }

    @Test
    void memoryIsAWarningAtFourFifthsAndCriticalNearItsEnd() {
        assertThat(ofRedis(diagnose(server(80, 100, null)))).singleElement().satisfies(found -> {
            assertThat(found.level()).isEqualTo(Level.WARNING);
            assertThat(found.text())
                    .isEqualTo(
                            "Redis uses 80 % of its memory, 80.0 MB of 100.0 MB. When it is full, sends are rejected.");
            assertThat(found.topics()).isEmpty();
        });
        assertThat(ofRedis(diagnose(server(76, 100, null)))).hasSize(1);
        assertThat(ofRedis(diagnose(server(74, 100, null)))).isEmpty();
        assertThat(ofRedis(diagnose(server(95, 100, null))))
                .extracting(Finding::level)
                .containsExactly(Level.CRITICAL);
        assertThat(ofRedis(diagnose(server(91, 100, null))))
                .extracting(Finding::level)
                .containsExactly(Level.CRITICAL);
        assertThat(ofRedis(diagnose(server(89, 100, null))))
                .extracting(Finding::level)
                .containsExactly(Level.WARNING);
    }

    @Test
    void policyThatEvictsIsAWarningUnlessItIsPermitted() {
        ServerState evicting = server("10.0.0.1:6379", true, 1, 100, "allkeys-lru", null);
        assertThat(ofRedis(diagnose(evicting))).singleElement().satisfies(found -> {
            assertThat(found.level()).isEqualTo(Level.WARNING);
            assertThat(found.text())
                    .isEqualTo("Redis at 10.0.0.1:6379 may evict messages when its memory is full: its maxmemory-policy"
                            + " is allkeys-lru. Set it to noeviction.");
        });
        assertThat(ofRedis(diagnose(server("", true, 1, 100, "volatile-ttl", null))))
                .extracting(Finding::text)
                .allMatch(text -> text.startsWith("Redis may evict idempotency keys"));
        QueueDiagnosis permitting = Diagnoses.diagnosis(() -> clock, true, () -> null, Map.of());
        assertThat(permitting
                        .diagnose(List.of(), new Nodes(NOW, List.of(), List.of()), List.of(evicting), List.of())
                        .all())
                .isEmpty();
    }

    /** The nodes cannot send heartbeats: they did not fail, and they listen. */
    @Test
    void refusedWritesExplainMissingHeartbeatsAndLateTopics() {
        List<Finding> found = diagnose(server(1, 100, NOREPLICAS));

        assertThat(kinds(found)).containsExactly(Kind.REDIS);
        assertThat(found.get(0).level()).isEqualTo(Level.CRITICAL);
        assertThat(found.get(0).text())
                .isEqualTo("Redis refuses writes: " + NOREPLICAS
                        + " Nothing is sent, claimed or settled. Connected replicas: 0.");
    }

    @Test
    void nodesHaveTimeToSendAHeartbeatAfterTheCure() {
        diagnose(server(1, 100, NOREPLICAS));
        clock = NOW.plusSeconds(10);
        assertThat(diagnose(server(1, 100, null))).isEmpty();
        clock = NOW.plusSeconds(11);
        assertThat(kinds(diagnose(server(1, 100, null)))).containsExactly(Kind.NO_LISTENER, Kind.NODE_FAILED);
    }

    @Test
    void masterWithoutHeartbeatsExplainsLatenessOnly() {
        List<Finding> found = diagnose(
                server("a:1", true, 1, 100, "noeviction", null),
                server("b:2", false, 1, 100, "noeviction", "MISCONF Redis is configured to save RDB snapshots."));
        assertThat(kinds(found)).containsExactly(Kind.REDIS, Kind.NO_LISTENER, Kind.NODE_FAILED);
        assertThat(found.get(0).text()).startsWith("Redis at b:2 refuses writes: MISCONF");
    }

    /** Heartbeats and claims are accepted then. */
    @Test
    void fullMemoryExplainsNothing() {
        List<Finding> found = diagnose(server(100, 100, OOM));
        assertThat(kinds(found)).containsExactly(Kind.REDIS, Kind.NO_LISTENER, Kind.NODE_FAILED);
        assertThat(found.get(0).text())
                .isEqualTo("Redis refuses writes: " + OOM
                        + " Sends are rejected, and handling continues. It uses 100.0 MB of 100.0 MB.");
    }
}
