package io.delayqueue.actuate.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.test.context.TestPropertySource;

/** What the page says of a topic: whether it is late, and why. */
@DashboardTest
@TestPropertySource(properties = "delayqueue.namespace=dashboard-verdict")
class DashboardVerdictTests {

    /** Shows the page's modules a topic as it was every ten seconds, and asks for their verdict on it. */
    private static final String FINDINGS = """
            const [topics, listeners, done] = arguments;
            const base = document.querySelector('script').src.replace('app.js', '');
            Promise.all(['state', 'history', 'verdict'].map((name) => import(`${base}${name}.js`)))
              .then(([{ state }, history, verdict]) => {
                const before = state.overview;
                state.overview = { ...before, listeners };
                const at = Date.now() + 3600000;
                history.record([], at);
                topics.forEach((topic, index) => history.record([topic], at + 10000 * index));
                done(verdict.findings(topics.at(-1)).map(({ level, text }) => `${level}: ${text}`));
                state.overview = before;
              })
              .catch((error) => done([String(error)]));
            """;

    @LocalServerPort
    private int port;

    private final List<Map<String, Object>> topics = new ArrayList<>();
    private final List<Map<String, Object>> listeners = new ArrayList<>();
    private Browser browser;

    @BeforeEach
    void openPage(Browser browser) {
        this.browser = browser;
        new DashboardPage(browser, port).open("");
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
    void thresholdOfATopicSaysFromWhenOnItIsLate() {
        seen(Map.of("ready", 3, "lagMillis", 60_000, "maxLagMillis", 60_000));
        assertThat(findings()).isEmpty();

        topics.clear();
        seen(Map.of("ready", 3, "lagMillis", 2_000, "maxLagMillis", 1_500));
        assertThat(findings())
                .contains("bad: Late: its oldest due message has waited for 2 s, which is more than 1 s.");
    }

    @Test
    void topicThatNobodyCanTellTheStateOfSaysWhy() {
        seen(Map.of("problem", "Redis cannot be reached."));

        assertThat(findings()).containsExactly("bad: Nobody can tell its state. Redis cannot be reached.");
    }

    @Test
    void topicWhoseStateIsUnknownIsShownBesideTheOthers(
            @Autowired DelayQueueOperations queue,
            @Autowired KeySpace keySpace,
            @Autowired RedisConnectionFactory redis) {
        queue.send("broken", "text", Duration.ofHours(1));
        queue.send("whole", "text", Duration.ofHours(1));
        byte[] schedule = keySpace.of(Shard.single("broken")).schedule();
        DashboardPage page = new DashboardPage(browser, port);
        try (RedisConnection connection = redis.getConnection()) {
            connection.stringCommands().set(schedule, "of another type".getBytes(UTF_8));
            try {
                page.open("").awaitText("The state of 1 of").awaitText("Nobody can tell its state.");
                assertThat(page.text()).contains("WRONGTYPE", "whole").doesNotContain("NaN", "undefined");
                page.press("broken").awaitText("Nobody can tell its state.").awaitNoText("Loading");
                assertThat(page.text()).doesNotContain("NaN", "undefined", "Delete topic");
            } finally {
                connection.keyCommands().del(schedule);
            }
        }
        assertThat(page.complaints()).isEmpty();
    }

    @Test
    void lateTopicThatIsPausedSaysSo() {
        seen(Map.of("ready", 3, "lagMillis", 192_000, "paused", true));

        assertThat(findings())
                .containsExactly(
                        "bad: Late: its oldest due message has waited for 3 m 12 s.",
                        "bad: It is paused everywhere; 3 messages are ready.");
    }

    @Test
    void lateTopicWithoutConsumerAsksForItsName() {
        seen(Map.of("ready", 1, "lagMillis", 20_000, "consumers", List.of()));

        assertThat(findings()).contains("bad: No node listens to it; 1 message is ready. Is the name mistyped?");
    }

    @Test
    void topicThatGathersForNobodyIsToldBeforeItIsLate() {
        seen(Map.of("scheduled", 2, "consumers", List.of()));

        assertThat(findings())
                .containsExactly("warn: No node listens to it, but 2 messages wait. Is the name mistyped?");
    }

    @Test
    void backlogThatGrowsTellsHowFast() {
        seen(Map.of("ready", 100, "leased", 8, "lagMillis", 20_000));
        seen(Map.of("ready", 120, "leased", 8, "lagMillis", 30_000));
        seen(Map.of("ready", 140, "leased", 8, "lagMillis", 40_000));

        assertThat(findings()).contains("bad: More comes due than is handled: ready grows by 120 a minute.");
    }

    @Test
    void backlogThatShrinksTellsWhenItIsGone() {
        seen(Map.of("ready", 140, "leased", 8, "lagMillis", 40_000));
        seen(Map.of("ready", 120, "leased", 8, "lagMillis", 30_000));
        seen(Map.of("ready", 100, "leased", 8, "lagMillis", 20_000));

        assertThat(findings()).contains("bad: It is catching up: ready is empty in about 50 s at this pace.");
    }

    @Test
    void listenerThatIsBusyOrPausedHereIsNamed() {
        listener("busy", true, false, 8);
        listener("resting", true, true, 0);
        listener("stopped", false, false, 0);
        seen(Map.of("ready", 3, "leased", 8, "lagMillis", 20_000));

        assertThat(findings())
                .contains(
                        "bad: Listener resting is paused on this node.",
                        "bad: Listener stopped does not run on this node.",
                        "bad: Listener busy on this node uses all of its 8 permits: its handlers are slow, or may be too few.");
    }

    @Test
    void backlogThatIsClaimedAheadIsToldBeforeItIsLate() {
        listener("busy", true, false, 8);
        seen(Map.of("ready", 3, "leased", 32, "lagMillis", 100));
        assertThat(findings()).isEmpty();

        seen(Map.of("ready", 3, "leased", 1_008, "lagMillis", 100));
        assertThat(findings())
                .containsExactly(
                        "warn: 1,008 messages are leased, most of them waiting for a handler. Listener busy on this"
                                + " node uses all of its 8 permits: its handlers are slow, or may be too few.");
    }

    @Test
    void nodesThatDoNothingAreToldOf() {
        listener("idle", true, false, 0);
        seen(Map.of("ready", 3, "lagMillis", 20_000));

        assertThat(findings())
                .contains("bad: Nothing is being handled although 1 node listens: see the health of the nodes.");
    }

    @Test
    void newDeadLettersAreToldOfAndOldOnesAreNot() {
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
                "lane",
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
        return Browser.strings(browser.runAsync(FINDINGS, topics, listeners));
    }
}
