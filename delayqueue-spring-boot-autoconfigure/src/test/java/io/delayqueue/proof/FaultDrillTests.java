package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * What an operator sees if one of three nodes or one tenant fails, Redis refuses writes, or messages pile up: a finding
 * and an alert of the same severity that name cause, topic and node, and that end after the cure. Each test prints the
 * seconds until both; the assertions allow three times as much as was measured.
 */
@Tag("long")
@Tag("drill")
@Timeout(900)
class FaultDrillTests extends DrillTest {

    private static final String NONE = "none";
    private static final Duration CURED = Duration.ofMinutes(1);

    /** Load that is sent while a finding is awaited. */
    private Runnable load = () -> {};

    private DrillWorker third;

    @Override
    void startOthers() {
        startWorker();
    }

    private void startThird(String... properties) {
        third = startWorker(properties);
        scrapeAll();
        await("three nodes").atMost(START).until(() -> overview().path("nodes").size() >= 3);
        begin = Instant.now();
    }

    private Optional<JsonNode> finding(String level, String kind, String topic, String node) {
        JsonNode view = topic.equals(NONE) ? overview() : topic(topic);
        return view.path("findings")
                .valueStream()
                .filter(each -> each.path("level").asString().equals(level)
                        && each.path("kind").asString().equals(kind)
                        && text(each, "node").equals(node))
                .findFirst();
    }

    private static String text(JsonNode finding, String field) {
        return finding.path(field).isString() ? finding.path(field).asString() : NONE;
    }

    /** Awaits a finding and its alert, and returns the text of the finding. */
    private String isFound(String what, Duration most, String level, String kind, String topic, String node) {
        String[] text = {""};
        seen(what + ", finding", most, () -> {
            load.run();
            finding(level, kind, topic, node)
                    .ifPresent(each -> text[0] = text(each, "text") + ' ' + text(each, "failure"));
            return !text[0].isEmpty();
        });
        alerts(
                what,
                most,
                level.equals("critical") ? "DelayQueueCritical" : "DelayQueueWarning",
                "kind=\"" + kind + '"',
                "topic=\"" + topic + '"',
                "node=\"" + node + '"');
        return text[0];
    }

    /** Awaits the end of all findings and alerts after a cure. */
    private void isGreenAfter(String cure) {
        begin = Instant.now();
        seen("all green after " + cure, CURED, () -> {
            load.run();
            return isGreen();
        });
    }

    private void sendPart(String topic, int messages) {
        load = () -> send(topic, messages);
    }

    @Test
    void circuitThatIsOpenOnOneNodeIsNamed() {
        startThird("drill.fault=" + DrillWorker.UNAVAILABLE);
        sendPart("stock", 10);
        assertThat(isFound("circuit open on one node", SEEN, "warning", "unavailable", "stock", "shop-3"))
                .contains("on shop-3", "no route to the warehouse");
        third.stop();
        isGreenAfter("the stop of the node");
    }

    @Test
    void suspendedNodeIsNamedUntilItContinues() {
        startThird();
        third.suspend(true);
        assertThat(isFound("suspended node", SEEN, "warning", "node_failed", NONE, "shop-3"))
                .contains("process " + third.pid());
        seen(
                "suspended node, former node",
                Duration.ofMinutes(3),
                () -> formerNodes().contains("shop-3"));
        third.suspend(false);
        isGreenAfter("the node continues");
        assertThat(formerNodes()).doesNotContain("shop-3");
    }

    private String formerNodes() {
        return overview().path("formerNodes").toString();
    }
}
