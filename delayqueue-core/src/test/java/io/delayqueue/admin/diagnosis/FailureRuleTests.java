package io.delayqueue.admin.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatus.State;
import io.delayqueue.listener.ListenerStatusBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Failures by the value of a header, and by node. */
class FailureRuleTests {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final QueueDiagnosis diagnosis = Diagnoses.diagnosis(() -> NOW);

    private static NodeStatus node(String host, Attempts attempts, Map<String, Attempts> byHeader) {
        return node(host, State.RUNNING, attempts, byHeader);
    }

    private static NodeStatus node(String host, State state, Attempts attempts) {
        return node(host, state, attempts, Map.of());
    }

    private static NodeStatus node(String host, State state, Attempts attempts, Map<String, Attempts> byHeader) {
        ListenerStatusBuilder listener = ListenerStatusBuilder.listener("charge", "payment")
                .state(state)
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
                .diagnose(List.of(topic), new Nodes(NOW, Arrays.asList(nodes), List.of()), List.of(), List.of())
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

    private static NodeStatus healthy(String host) {
        return node(host, State.RUNNING, Attempts.counted(500, 0, 0));
    }

    private static NodeStatus alone(String host, long failed) {
        return node(host, State.FAILS_ALONE, attempts(0, failed));
    }

    @Test
    void nodeThatFailsAloneIsAWarningThatNamesIt() {
        assertThat(diagnose(healthy("shop-1"), alone("shop-2", 60), healthy("shop-3")))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.kind()).isEqualTo(Finding.Kind.FAILING);
                    assertThat(finding.level()).isEqualTo(Finding.Level.WARNING);
                    assertThat(finding.node()).isEqualTo("shop-2");
                    assertThat(finding.text())
                            .isEqualTo("All failures are on shop-2: 60 of 60 attempts. 2 other nodes succeed.");
                    assertThat(finding.failure()).isEqualTo("Refused: no");
                });
    }

    @Test
    void nodeIsNamedIfItMakesItsTopicFail() {
        NodeStatus bad = node("shop-2", State.RUNNING, attempts(0, 7_873));
        assertThat(diagnose(node("shop-1", State.RUNNING, Attempts.counted(29, 0, 0)), bad))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.level()).isEqualTo(Finding.Level.CRITICAL);
                    assertThat(finding.node()).isEqualTo("shop-2");
                    assertThat(finding.text())
                            .isEqualTo(
                                    "29 of 7,902 attempts succeeded in the last minute. It has been failing for 75 s."
                                            + " All failures are on shop-2: 7,873 of 7,873 attempts. 1 other node succeeds.");
                });
    }

    @Test
    void noNodeIsNamedIfAllFailOrNoOtherHasAttempts() {
        NodeStatus bad = node("shop-1", State.RUNNING, attempts(0, 20));
        NodeStatus idle = node("shop-2", State.RUNNING, Attempts.NONE);
        for (NodeStatus other : List.of(idle, node("shop-2", State.RUNNING, attempts(4, 20)))) {
            assertThat(diagnose(bad, other)).singleElement().satisfies(finding -> {
                assertThat(finding.level()).isEqualTo(Finding.Level.CRITICAL);
                assertThat(finding.node()).isNull();
                assertThat(finding.text()).doesNotContain("shop");
            });
        }
    }

    @Test
    void severalFailingNodesAreNamedInTheText() {
        assertThat(diagnose(healthy("shop-1"), alone("shop-3", 30), alone("shop-2", 31)))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.node()).isNull();
                    assertThat(finding.text())
                            .isEqualTo("All failures are on shop-2 and shop-3: 61 of 61 attempts."
                                    + " 1 other node succeeds.");
                });
    }

    @Test
    void nodeThatFailsAloneIsFoundBesideOtherFailures() {
        NodeStatus some = node("shop-1", State.RUNNING, attempts(480, 20));
        assertThat(diagnose(some, alone("shop-2", 60)))
                .extracting(Finding::text)
                .containsExactly("Attempts fail on shop-2: 60 of 60 attempts."
                        + " On the other nodes, 20 of 500 attempts failed.");
    }

    @Test
    void nodeThatFailsAloneIsFoundBetweenItsProbes() {
        assertThat(diagnose(healthy("shop-1"), node("shop-2", State.FAILS_ALONE, Attempts.NONE)))
                .extracting(Finding::text)
                .containsExactly("The last attempts on shop-2 failed. 1 other node succeeds.");
    }

    /** Few messages of a tenant may fail because of the node. */
    @Test
    void failuresByHeaderOnAFailingNodeFollowFromTheNode() {
        NodeStatus alone =
                node("shop-2", State.FAILS_ALONE, attempts(0, 60), Map.of("tenant=acme", Attempts.counted(0, 6, 0)));
        assertThat(diagnose(healthy("shop-1"), alone)).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Finding.Level.WARNING);
            assertThat(finding.text()).doesNotContain("acme");
        });
    }

    /** While a topic fails, half of the limit is enough to stay critical. A node that fails alone does not lower it. */
    @Test
    void nodeThatFailsAloneDoesNotLowerTheLimitOfItsTopic() {
        for (int i = 0; i < 2; i++) {
            assertThat(diagnose(node("shop-1", State.RUNNING, attempts(100, 0)), alone("shop-2", 60)))
                    .extracting(Finding::level)
                    .containsExactly(Finding.Level.WARNING);
        }
    }
}
