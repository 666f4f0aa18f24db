package io.delayqueue.admin.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.NodeStatus;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerStatus.RunningHandler;
import io.delayqueue.listener.ListenerStatusBuilder;
import io.delayqueue.message.Counts;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Stuck handlers, and the text of their findings. */
class StuckRuleTests {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final QueueDiagnosis diagnosis = Diagnoses.diagnosis(() -> NOW);

    private static NodeStatus node(String host, int running, int usualMillis, int youngestSeconds, int oldestSeconds) {
        RunningHandler oldest = running == 0 ? null : new RunningHandler("m-1", 1, Duration.ofSeconds(oldestSeconds));
        return Diagnoses.node(
                host,
                NOW,
                ListenerStatusBuilder.listener("charge", "payment")
                        .handlers(running, 8)
                        .oldest(oldest)
                        .times(Duration.ofMillis(usualMillis), Duration.ofSeconds(youngestSeconds))
                        .build());
    }

    private List<Finding> stuck(long ready, long leased, NodeStatus... nodes) {
        return diagnose(ready, leased, nodes).all().stream()
                .filter(each -> each.kind() == Kind.STUCK)
                .toList();
    }

    private Diagnosis diagnose(long ready, long leased, NodeStatus... nodes) {
        TopicStatus topic = TopicStatusBuilder.topic("payment")
                .counts(Counts.of(0, ready, 0, leased, 0, 0, Duration.ZERO))
                .build();
        return diagnosis.diagnose(
                List.of(topic), new Nodes(NOW, Arrays.asList(nodes), List.of()), List.of(), List.of());
    }

    @Test
    void allHandlersOfOneNodeAreStuck() {
        List<Finding> found = stuck(5, 99, node("shop-1", 8, 100, 40, 154), node("shop-2", 2, 100, 0, 1));

        assertThat(found).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.CRITICAL);
            assertThat(finding.node()).isEqualTo("shop-1");
            assertThat(finding.topics()).containsExactly("payment");
            assertThat(finding.text())
                    .isEqualTo("All 8 handlers of listener charge on shop-1 have been running for much longer than"
                            + " usual, the oldest for 2 min with message m-1.");
        });
    }

    @Test
    void severalNodesAreOneTopic() {
        assertThat(diagnose(5, 99, node("shop-1", 8, 100, 40, 154), node("shop-2", 8, 100, 40, 60))
                        .findings())
                .filteredOn(each -> each.kind() == Kind.STUCK)
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.count()).isOne();
                    assertThat(finding.text())
                            .startsWith("All 8 handlers of listener charge on shop-1 have been")
                            .endsWith(" 1 more on the page of the topic.");
                });
    }

    /** Messages that the node has claimed ahead wait, and other nodes handle the rest. */
    @Test
    void itIsAWarningIfNoMessageIsReady() {
        assertThat(stuck(0, 99, node("shop-1", 8, 100, 40, 154)))
                .extracting(Finding::level)
                .containsExactly(Level.WARNING);
        assertThat(stuck(0, 8, node("shop-1", 8, 100, 40, 154))).isEmpty();
    }

    @Test
    void oneStuckHandlerIsAWarning() {
        List<Finding> found = stuck(5, 8, node("shop-1", 8, 100, 1, 40));
        assertThat(found).extracting(Finding::level).containsExactly(Level.WARNING);
        assertThat(found.get(0).text())
                .isEqualTo(
                        "A handler of listener charge on shop-1 has been running for much longer than usual, for 40 s"
                                + " with message m-1.");
    }

    @Test
    void usualTimeIsThatOfTheSlowestNode() {
        assertThat(stuck(5, 8, node("shop-1", 8, 100, 1, 31))).hasSize(1);
        assertThat(stuck(5, 8, node("shop-1", 8, 100, 1, 30))).isEmpty();
        assertThat(stuck(5, 8, node("shop-1", 8, 100, 1, 49), node("shop-2", 0, 5_000, 0, 0)))
                .isEmpty();
        assertThat(stuck(5, 8, node("shop-1", 8, 100, 1, 51), node("shop-2", 0, 5_000, 0, 0)))
                .hasSize(1);
    }

    /** As after a start, when the first handlers run. */
    @Test
    void unknownUsualTimeNeedsFiveMinutes() {
        assertThat(stuck(5, 8, node("shop-1", 8, 0, 300, 300))).isEmpty();
        assertThat(stuck(5, 8, node("shop-1", 8, 0, 301, 301)))
                .extracting(Finding::level)
                .containsExactly(Level.CRITICAL);
    }
}
