package io.delayqueue.compatibility.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayqueue.compatibility.upgrade.Node.Handled;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Two nodes of the previous release are replaced one after the other by this build, and one of them back again, while
 * all of them send, cancel, reschedule and handle messages of one topic.
 */
@EmbeddedRedis
class RollingUpgradeTests {

    /** Name of the system property with the class path of the previous release: jars of core and auto-configuration. */
    private static final String PREVIOUS = "delayqueue-test.previous";

    private final RedisServerProcess redis;
    private final List<Node> nodes = new ArrayList<>();
    private final TreeSet<String> expected = new TreeSet<>();

    RollingUpgradeTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @Test
    void nodesOfTheReleaseBeforeAndOfThisBuildShareATopic() {
        String previous = System.getProperty(PREVIOUS, "");
        assumeTrue(
                !previous.isBlank(),
                "There is no previous release: set -D" + PREVIOUS + " to the class path of its jars to run this");

        try {
            Node first = start(previous);
            Node second = start(previous);
            sendAll("old-old", first, second);

            first.close();
            Node firstUpgraded = start(null);
            assertThat(firstUpgraded.library()).isNotEqualTo(second.library());
            sendAll("new-old", firstUpgraded, second);
            sendAll("old-new", second, firstUpgraded);

            second.close();
            Node secondUpgraded = start(null);
            sendAll("new-new", secondUpgraded, firstUpgraded);

            firstUpgraded.close();
            Node firstRestored = start(previous);
            assertThat(firstRestored.library()).isEqualTo(second.library());
            sendAll("restored-new", firstRestored, secondUpgraded);

            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(handledIds()).containsExactlyInAnyOrderElementsOf(expected));
            assertThat(nodes).allSatisfy(node -> {
                assertThat(node.handled()).isNotEmpty();
                assertThat(node.handled()).extracting(Handled::lateMillis).allMatch(late -> late >= 0);
            });
            assertThat(nodes.stream().flatMap(node -> node.failed().stream()))
                    .containsExactlyInAnyOrderElementsOf(
                            expected.stream().filter(id -> id.contains("fails")).toList());
        } finally {
            nodes.forEach(Node::close);
        }
    }

    private Node start(@Nullable String library) {
        Node node = new Node(redis.port(), library);
        nodes.add(node);
        return node;
    }

    /** One node sends; the other one cancels and reschedules what it has sent. */
    private void sendAll(String name, Node sender, Node other) {
        for (int i = 0; i < 100; i++) {
            send(sender, name + "-" + i, 20L * i);
            if (i % 10 == 0) {
                send(sender, name + "-fails-" + i, 10L * i);
            }
        }
        sender.command("send " + name + "-cancelled 3600000");
        assertThat(other.command("cancel " + name + "-cancelled")).endsWith(" CANCELLED");
        send(sender, name + "-rescheduled", 3_600_000);
        assertThat(other.command("reschedule " + name + "-rescheduled 500")).endsWith(" RESCHEDULED");
    }

    private void send(Node sender, String id, long delay) {
        assertThat(sender.command("send " + id + " " + delay)).contains("Accepted");
        expected.add(id);
    }

    private List<String> handledIds() {
        return nodes.stream()
                .flatMap(node -> node.handled().stream())
                .map(Handled::id)
                .toList();
    }
}
