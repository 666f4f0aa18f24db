package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.admin.AuditLog;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Actions on dead letters and jobs are logged with the client, the topic and the outcome. */
@ExtendWith(OutputCaptureExtension.class)
class AuditTests {

    private final ApiNode node = ApiNode.shared();
    private final String topic = "order-audit-" + UUID.randomUUID();

    private static List<String> lines(CapturedOutput output, String part) {
        return output.getAll()
                .lines()
                .filter(line -> line.contains(AuditLog.class.getSimpleName()) && line.contains(part))
                .map(line -> line.substring(line.indexOf("Action by ")))
                .toList();
    }

    private String deadLetter(String id) {
        node.send(topic, "{\"id\": \"" + id + "\", \"payload\": 1}");
        node.settle(node.receiveOne(topic), "dead-letter", "{}");
        return node.get("/topics/" + topic + "/dead-letters")
                .json()
                .path("deadLetters")
                .get(0)
                .path("deadLetterId")
                .asString();
    }

    private void ask(String method, String path, String body) {
        node.exchangeAs(ApiNode.ORDERS, method, "/topics/" + topic + path, body);
    }

    @Test
    void replaysAndPurgesAreLoggedWithTheirOutcomes(CapturedOutput output) {
        String replayed = deadLetter("a");
        ask("POST", "/dead-letters/" + replayed + "/replay", "{\"delay\": \"1h\"}");
        ask("POST", "/dead-letters/" + replayed + "/replay", "{\"delay\": \"1h\"}");
        String purged = deadLetter("b");
        ask("DELETE", "/dead-letters/" + purged, "");
        ask("DELETE", "/dead-letters/" + purged, "");

        assertThat(lines(output, topic))
                .containsExactly(
                        "Action by orders: replay " + replayed + ", replayed, topic " + topic + ", count 1",
                        "Action by orders: replay " + replayed + ", not_found, topic " + topic + ", count 0",
                        "Action by orders: purge " + purged + ", purged, topic " + topic + ", count 1",
                        "Action by orders: purge " + purged + ", not_found, topic " + topic + ", count 0");
    }

    @Test
    void startsAndStopsOfJobsAreLogged(CapturedOutput output) {
        String job = node.exchangeAs(
                        ApiNode.ORDERS,
                        "POST",
                        "/topics/" + topic + "/jobs",
                        "{\"action\": \"run\", \"startAt\": \"2100-01-01T00:00:00Z\"}")
                .json()
                .path("id")
                .asString();
        node.exchangeAs(ApiNode.ORDERS, "DELETE", "/jobs/" + job, "");
        node.exchangeAs(ApiNode.ORDERS, "DELETE", "/jobs/" + job, "");

        assertThat(lines(output, topic))
                .contains(
                        "Action by orders: request to run, topic " + topic + ", count 0",
                        "Action by orders: stop job " + job + ", topic " + topic + ", count 1")
                .filteredOn(line -> line.contains("stop job"))
                .hasSize(1);
    }

    @Test
    void clientCannotForgeALine(CapturedOutput output) {
        ask("DELETE", "/dead-letters/" + PathNames.encode("x\nAction by admin: purge"), "");

        assertThat(lines(output, topic))
                .containsExactly(
                        "Action by orders: purge x\\nAction by admin: purge, not_found, topic " + topic + ", count 0");
    }
}
