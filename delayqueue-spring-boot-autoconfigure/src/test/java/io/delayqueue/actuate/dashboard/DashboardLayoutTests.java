package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.INVOICES;
import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardApplication.MAILS;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.ReceiveRequest;
import io.delayqueue.testing.SystemClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.test.context.TestPropertySource;

/** Each view fits, is legible and accessible (axe): narrow and wide, light and dark. Saves screenshots in target/dashboard. */
@Tag("long")
@Tag("browser")
@TestPropertySource(properties = {"delayqueue.namespace=dashboard-layout", "delayqueue.topics[accounts].keys=ordered"})
class DashboardLayoutTests extends DashboardTest {

    /** A page of dead letters, and one more. */
    private static final int DEAD = 26;

    /** The longest permitted name, which cannot be broken into lines. */
    private static final String LONG = "w".repeat(128);

    /**
     * Finds texts whose contrast with their background is below WCAG's level AA, with the ratio. The default background is that
     * of the page.
     */
    private static final String LOW_CONTRAST = """
            const parse = (color) => color.match(/[\\d.]+/g).map(Number);
            const light = ([r, g, b]) => [r, g, b].map((each) => each / 255)
                .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
                .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0);
            const behind = (element) => {
              for (let at = element; at; at = at.parentElement) {
                const color = parse(getComputedStyle(at).backgroundColor);
                if (color[3] !== 0) return color;
              }
              return parse(getComputedStyle(document.body).backgroundColor);
            };
            const found = [];
            const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) {
              const element = texts.currentNode.parentElement;
              if (!texts.currentNode.data.trim() || !element.checkVisibility()) continue;
              if (element.closest('.unseen, .skip, svg, noscript, [aria-disabled=true]')) continue;
              const [one, other] = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort();
              const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
              if (ratio < 4.5) found.push(`${texts.currentNode.data.trim()}: ${ratio.toFixed(2)}`);
            }
            return found;
            """;

    /** Names the page, the open dialog and the fields in it that are wider than their boxes. */
    private static final String OVERFLOW = """
            const dialog = document.querySelector('dialog[open]');
            return [document.documentElement, ...(dialog ? [dialog, ...dialog.querySelectorAll('*')] : [])]
                .filter((each) => each.scrollWidth > each.clientWidth && getComputedStyle(each).display !== 'inline')
                .map((each) => `${each.localName}.${each.className} ${each.name || ''}: ${each.scrollWidth} in ${each.clientWidth}`);
            """;

    /** The buttons that open a dialog, also those in closed menus. */
    private static final String OPENERS = "[...document.querySelectorAll('[aria-haspopup=dialog]')]";

    private static final String HIGHEST_ROW =
            "return Math.max(...[...document.querySelectorAll('.messages tbody tr')].map((each) => each.offsetHeight))";

    /** A page of dead letters would be too long on a telephone if its rows were higher. */
    private static final long MAX_ROW = 180;

    private static final String AXE = axe();

    @Autowired
    private QueueState state;

    @Autowired
    private DelayQueueAdmin admin;

    @Autowired
    private DelayQueueReceiver receiver;

    @Autowired
    private KeySpace keySpace;

    @Autowired
    private RedisConnectionFactory connections;

    /** The labels of the buttons whose dialogs were checked. */
    private final Set<String> dialogs = new HashSet<>();

    private String id = "";
    private String deadLetterId = "";

    @BeforeEach
    void fill() {
        queue.send(
                DelayMessage.to(LONG).payload(LONG).delay(Duration.ofHours(1)).build());
        id = queue.send(DelayMessage.to(LONELY)
                        .payload("{\"text\":\"" + LONG + "\"}")
                        .header(LONG, LONG)
                        .delay(Duration.ofMinutes(10))
                        .build())
                .id();
        hold(LONELY);
        for (long missing = DEAD - admin.counts(MAILS).dead(); missing > 0; missing--) {
            state.awaitDead(MAILS, queue.send(MAILS, LONG).id());
        }
        deadLetterId = admin.deadLetters(MAILS, 1).deadLetters().get(0).deadLetterId();
        state.awaitFailed(INVOICES, queue.send(INVOICES, LONG).id());
        holdKeys();
    }

    /** One head waits for its next attempt, another one is being handled. All names have the greatest length. */
    private void holdKeys() {
        for (String key : List.of("a", "b")) {
            for (String of : List.of("head", "next")) {
                queue.send(DelayMessage.to("accounts")
                        .id(LONG + key + of)
                        .key(LONG + LONG.substring(1) + key)
                        .onDuplicate(OnDuplicate.KEEP)
                        .payload("text")
                        .build());
            }
        }
        receiver.receive(ReceiveRequest.from("accounts").max(1).lease(Duration.ofHours(1)))
                .forEach(head -> head.retry(Duration.ofHours(1), LONG).join());
        receiver.receive(ReceiveRequest.from("accounts").max(1).lease(Duration.ofHours(1)));
    }

    /** The topic has all limits, and a message with the longest id holds it. */
    private void hold(String topic) {
        queue.send(topic, "text");
        admin.limit(topic, TopicLimits.of(3, null, "100/1m", 7, 1L));
        byte[] meta = keySpace.of(Shard.single(topic)).meta();
        String hold = SystemClock.millis() + Duration.ofHours(1).toMillis() + " 3 " + LONG + LONG;
        try (RedisConnection redis = connections.getConnection()) {
            redis.hashCommands()
                    .hSet(meta, "hold".getBytes(StandardCharsets.UTF_8), hold.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String axe() {
        try (InputStream script = DashboardLayoutTests.class.getResourceAsStream("/axe.min.js")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8) + ";\n";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void endEmulation() {
        admin.clearLimits(LONELY);
        browser.emulate(1280, 900, Map.of());
    }

    @ParameterizedTest
    @CsvSource({"360,light", "360,dark", "768,light", "1280,light", "1440,light", "1440,dark"})
    void eachViewFitsAndIsLegible(int width, String scheme) {
        browser.emulate(width, 900, Map.of("prefers-color-scheme", scheme, "prefers-reduced-motion", "reduce"));
        check(width + "-" + scheme + "-overview", "");
        check(width + "-" + scheme + "-long", topic(LONG, "scheduled"));
        check(width + "-" + scheme + "-topic", topic(LONELY, "scheduled"));
        check(width + "-" + scheme + "-keys", topic("accounts", "ready"));
        check(width + "-" + scheme + "-failing", topic(INVOICES, "failing"));
        check(width + "-" + scheme + "-dead", topic(MAILS, "dead"));
        assertThat(browser.run(Long.class, HIGHEST_ROW)).isBetween(1L, MAX_ROW);
        check(width + "-" + scheme + "-message", topic(LONELY, "message", id));
        check(width + "-" + scheme + "-dead-letter", topic(MAILS, "dead-letter", deadLetterId));
        assertThat(page.consoleMessages()).isEmpty();
    }

    private void check(String name, String view) {
        page.open(view).awaitNoText("Loading …");
        assertThat(browser.string("return location.hash")).as("view of " + name).isEqualTo(view);
        screenshot(name);
        checkDialogs(name);
    }

    /** Opens the dialogs of a view that no earlier view had: those of other rows and topics differ in names only. */
    private void checkDialogs(String name) {
        for (String opener : browser.texts("return " + OPENERS + ".map((each) => each.textContent)")) {
            if (dialogs.add(opener)) {
                browser.run(OPENERS + ".find((each) => each.textContent === arguments[0]).click()", opener);
                await().until(() -> browser.is("return document.querySelector('dialog[open]') !== null"));
                page.awaitNoText("Counting …");
                String dialog = opener.replaceAll("\\W+", "-").toLowerCase(Locale.ROOT);
                screenshot(name + "-" + (dialog.equals("-") ? "help" : dialog));
                browser.run("document.querySelector('dialog[open]').close()");
            }
        }
    }

    private void screenshot(String name) {
        browser.screenshot(Path.of("target", "dashboard", name + ".png"));
        assertThat(browser.texts(OVERFLOW)).as("too wide in " + name).isEmpty();
        assertThat(browser.texts(LOW_CONTRAST)).as("pale in " + name).isEmpty();
        assertThat(browser.texts(AXE + """
                return axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
                    nodes.map(({ html }) => `${id}: ${html}`)));
                """)).as("axe in " + name).isEmpty();
        assertThat(browser.texts("return document.getAnimations().map((each) => each.animationName)"))
                .as("motion in " + name)
                .isEmpty();
    }
}
