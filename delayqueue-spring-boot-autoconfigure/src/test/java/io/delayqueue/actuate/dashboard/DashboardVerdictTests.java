package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The verdict of the page: whether and why a topic is late. */
class DashboardVerdictTests {

    /** Passes samples of a topic, one every ten seconds, to the page's modules and returns their verdict. */
    private static final String FINDINGS = """
            const [topics, listeners] = arguments;
            const { state } = await import('./state.js');
            const history = await import('./history.js');
            const verdict = await import('./verdict.js');
            state.overview = { listeners };
            const at = Date.now();
            history.record([], at);
            topics.forEach((topic, index) => history.record([topic], at + 10000 * index));
            return verdict.findings(topics.at(-1)).map(({ level, text }) => `${level}: ${text}`);
            """;

    private static DashboardScripts scripts;

    private final List<Map<String, Object>> topics = new ArrayList<>();
    private final List<Map<String, Object>> listeners = new ArrayList<>();

    @BeforeAll
    static void copyScripts(@TempDir Path directory) throws IOException {
        scripts = new DashboardScripts(directory);
    }

    @Test
    void topicWithoutDueMessagesIsOnTime() {
        seen(Map.of("scheduled", 100));

        assertThat(findings()).isEmpty();
    }

    @Test
    void lagThatASweepWouldEndIsNotLate() {
        seen(Map.of("ready", 3, "lagMillis", 9_999));

        assertThat(findings()).isEmpty();
    }

    @Test
    void lagAboveTheThresholdOfATopicIsLate() {
        seen(Map.of("ready", 3, "lagMillis", 60_000, "maxLagMillis", 60_000));
        assertThat(findings()).isEmpty();

        topics.clear();
        seen(Map.of("ready", 3, "lagMillis", 2_000, "maxLagMillis", 1_500));
        assertThat(findings())
                .contains("bad: Late: its oldest due message has waited for 2 s, which is more than 1 s.");
    }

    @Test
    void unreadableTopicShowsItsProblem() {
        seen(Map.of("problem", "Redis cannot be reached."));

        assertThat(findings()).containsExactly("bad: Its state is unknown. Redis cannot be reached.");
    }

    @Test
    void pauseOfALateTopicIsNamed() {
        seen(Map.of("ready", 3, "lagMillis", 192_000, "paused", true));

        assertThat(findings())
                .containsExactly(
                        "bad: Late: its oldest due message has waited for 3 m 12 s.",
                        "bad: It is paused everywhere; 3 messages are ready.");
    }

    @Test
    void lateTopicWithoutAConsumerMayBeMisspelled() {
        seen(Map.of("ready", 1, "lagMillis", 20_000, "consumers", List.of()));

        assertThat(findings()).contains("bad: No node listens to it; 1 message is ready. Is the name misspelled?");
    }

    @Test
    void topicWithoutAConsumerIsNamedBeforeItIsLate() {
        seen(Map.of("scheduled", 2, "consumers", List.of()));

        assertThat(findings())
                .containsExactly("warn: No node listens to it, but 2 messages are waiting. Is the name misspelled?");
    }

    @Test
    void growthOfABacklogIsShown() {
        seen(Map.of("ready", 100, "leased", 8, "lagMillis", 20_000));
        seen(Map.of("ready", 120, "leased", 8, "lagMillis", 30_000));
        seen(Map.of("ready", 140, "leased", 8, "lagMillis", 40_000));

        assertThat(findings())
                .contains("bad: More messages become due than are handled: ready messages grow by 120 per minute.");
    }

    @Test
    void endOfAShrinkingBacklogIsShown() {
        seen(Map.of("ready", 140, "leased", 8, "lagMillis", 40_000));
        seen(Map.of("ready", 120, "leased", 8, "lagMillis", 30_000));
        seen(Map.of("ready", 100, "leased", 8, "lagMillis", 20_000));

        assertThat(findings()).contains("bad: It is catching up: at this rate no message is ready in about 50 s.");
    }

    @Test
    void busyOrPausedListenerIsNamed() {
        listener("busy", true, false, 8);
        listener("resting", true, true, 0);
        listener("stopped", false, false, 0);
        seen(Map.of("ready", 3, "leased", 8, "lagMillis", 20_000));

        assertThat(findings())
                .contains(
                        "bad: Listener resting is paused on this node.",
                        "bad: Listener stopped does not run on this node.",
                        "bad: Listener busy on this node uses all of its 8 permits. Its handlers are slow or too few.");
    }

    @Test
    void prefetchedBacklogIsNamedBeforeItIsLate() {
        listener("busy", true, false, 8);
        seen(Map.of("ready", 3, "leased", 32, "lagMillis", 100));
        assertThat(findings()).isEmpty();

        seen(Map.of("ready", 3, "leased", 1_008, "lagMillis", 100));
        assertThat(findings())
                .containsExactly(
                        "warn: 1,008 messages are leased, most of them waiting for a handler. Listener busy on this"
                                + " node uses all of its 8 permits. Its handlers are slow or too few.");
    }

    @Test
    void idleNodesAreNamed() {
        listener("idle", true, false, 0);
        seen(Map.of("ready", 3, "lagMillis", 20_000));

        assertThat(findings())
                .contains("bad: No message is being handled although 1 node listens. Check the health of the nodes.");
    }

    @Test
    void onlyNewDeadLettersAreNamed() {
        seen(Map.of("dead", 5));
        assertThat(findings()).isEmpty();

        seen(Map.of("dead", 7));
        assertThat(findings()).containsExactly("warn: 2 new dead letters in the last 10 minutes.");
    }

    private void seen(Map<String, Object> values) {
        Map<String, Object> topic = new HashMap<>(Map.of(
                "topic", "orders",
                "scheduled", 0,
                "ready", 0,
                "leased", 0,
                "dead", 0,
                "lagMillis", 0,
                "consumers", List.of("node"),
                "paused", false));
        topic.putAll(values);
        topics.add(topic);
    }

    private void listener(String id, boolean running, boolean paused, int used) {
        listeners.add(Map.of(
                "id",
                id,
                "topic",
                "orders",
                "kind",
                "messages",
                "running",
                running,
                "paused",
                paused,
                "pausedEverywhere",
                false,
                "permits",
                Map.of("used", used, "max", 8)));
    }

    private List<String> findings() {
        return scripts.run(FINDINGS, topics, listeners)
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }
}
