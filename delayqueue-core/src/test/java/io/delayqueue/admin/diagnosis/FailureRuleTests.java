package io.delayqueue.admin.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatusBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Failures by the value of a header. */
class FailureRuleTests {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final QueueDiagnosis diagnosis = Diagnoses.diagnosis(() -> NOW);

    private static NodeStatus node(String host, Attempts attempts, Map<String, Attempts> byHeader) {
        ListenerStatusBuilder listener = ListenerStatusBuilder.listener("charge", "payment")
                .attempts(attempts)
                .byHeader(byHeader);
        return Diagnoses.node(host, NOW, listener.build());
    }

    private static Attempts attempts(long succeeded, long failed) {
        return new Attempts(succeeded, failed, 0, Duration.ZERO, "Refused: no", Duration.ofSeconds(75), null);
    }

    private List<Finding> diagnose(NodeStatus... nodes) {
        TopicStatus topic = TopicStatusBuilder.topic("payment").build();
        return diagnosis
                .diagnose(List.of(topic), new Nodes(NOW, Arrays.asList(nodes), List.of()), List.of())
                .all();
    }

    @Test
    void oneValueFailsThoughMostAttemptsSucceed() {
        List<Finding> found = diagnose(
                node("shop-1", attempts(500, 300), Map.of("tenant=acme", Attempts.counted(5, 300, 0))),
                node(
                        "shop-2",
                        attempts(512, 389),
                        Map.of(
                                "tenant=acme",
                                Attempts.counted(6, 380, 9),
                                "tenant=other",
                                Attempts.counted(500, 0, 0))));

        assertThat(found).singleElement().satisfies(finding -> {
            assertThat(finding.kind()).isEqualTo(Finding.Kind.FAILING);
            assertThat(finding.level()).isEqualTo(Finding.Level.CRITICAL);
            assertThat(finding.text())
                    .isEqualTo("Messages with header tenant=acme fail: 689 of 700 attempts; all others succeed.");
            assertThat(finding.failure()).isEqualTo("Refused: no");
        });
    }

    @Test
    void valueNeedsBothAShareAndANumberOfFailures() {
        assertThat(diagnose(node("shop-1", attempts(90, 4), Map.of("tenant=acme", Attempts.counted(0, 4, 0)))))
                .isEmpty();
        assertThat(diagnose(node("shop-1", attempts(90, 9), Map.of("tenant=acme", Attempts.counted(10, 9, 0)))))
                .isEmpty();
        assertThat(diagnose(node("shop-1", attempts(90, 12), Map.of("tenant=acme", Attempts.counted(2, 10, 0)))))
                .extracting(Finding::text)
                .containsExactly("Messages with header tenant=acme fail: 10 of 12 attempts; of the others, 2 of 90.");
    }

    @Test
    void valueIsNamedIfItExplainsWhyATopicFails() {
        Attempts most = attempts(10, 20);
        assertThat(diagnose(node("shop-1", most, Map.of("tenant=acme", Attempts.counted(0, 20, 0)))))
                .extracting(Finding::text)
                .containsExactly("10 of 30 attempts succeeded in the last minute. It has been failing for 75 s."
                        + " Messages with header tenant=acme fail: 20 of 20 attempts; all others succeed.");
        assertThat(diagnose(node("shop-1", most, Map.of("tenant=acme", Attempts.counted(0, 10, 0)))))
                .extracting(Finding::text)
                .containsExactly("10 of 30 attempts succeeded in the last minute. It has been failing for 75 s.");
    }
}
