package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.DelayMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.test.context.TestPropertySource;

/** Only rows near the viewport have charts, and all rows can be found, focused and read. */
@Tag("long")
@Tag("browser")
@TestPropertySource(properties = "delayqueue.namespace=dashboard-many-topics")
class DashboardManyTopicsTests extends DashboardTest {

    private static final int TOPICS = 200;
    private static final String LAST = "many-" + (TOPICS - 1);

    @BeforeEach
    void openOverview() {
        IntStream.range(0, TOPICS)
                .mapToObj(each -> "many-%03d".formatted(each))
                .filter(topic -> queue.find(topic, "id").isEmpty())
                .forEach(topic -> queue.send(DelayMessage.to(topic)
                        .id("id")
                        .payload("text")
                        .delay(Duration.ofHours(1))
                        .build()));
        page.open("");
        // the page may show a reading that began before the last topic existed, and is used for 30 s
        await().atMost(Duration.ofSeconds(90)).until(() -> shows(LAST));
        browser.run("document.querySelector('.sort').click()");
        await().until(() -> charts("many-000") && !charts(LAST));
    }

    private long rows() {
        return count(".topics tbody tr");
    }

    private long count(String selector) {
        Long found = browser.run(Long.class, "return document.querySelectorAll(arguments[0]).length", selector);
        assertThat(found).isNotNull();
        return found;
    }

    private boolean shows(String topic) {
        return browser.is(
                "return [...document.querySelectorAll('.topics tbody tr')]"
                        + ".some((row) => row.textContent.includes(arguments[0]))",
                topic);
    }

    private boolean charts(String topic) {
        return browser.is(
                "return [...document.querySelectorAll('.topics tbody tr')]"
                        + ".find((row) => row.textContent.includes(arguments[0])).querySelector('svg') !== null",
                topic);
    }

    @Test
    void rowsThatComeNearTheViewportHaveCharts() {
        assertThat(count(".topics tbody svg")).isLessThan(3L * TOPICS / 2);

        browser.run("window.scrollTo(0, document.documentElement.scrollHeight)");
        await().until(() -> charts(LAST));
        browser.run("document.querySelector('.topics').scrollIntoView({ block: 'end' })");
        await().until(() -> charts(LAST) && !charts("many-000"));
        browser.run("location.hash = '#/topic/many-000'");
        page.awaitText("Coming up");
        page.open("");
        await().until(() -> charts("many-000") && !charts(LAST));
        assertThat(page.consoleMessages()).isEmpty();
    }

    @Test
    void rowFarFromTheViewportIsFound() {
        assertThat(browser.is("return window.find(arguments[0])", LAST)).isTrue();

        await().until(() -> charts(LAST));
    }

    @Test
    void rowFarFromTheViewportTakesTheFocus() {
        browser.run(
                "[...document.querySelectorAll('.topics tbody a')].find((link) => link.textContent === arguments[0]).focus()",
                LAST);

        await().until(() -> charts(LAST));
        assertThat(browser.string("return document.activeElement.textContent")).isEqualTo(LAST);
    }

    @Test
    void screenReaderReadsAllRowsInOrder() {
        List<?> nodes = (List<?>) browser.driver()
                .executeCdpCommand("Accessibility.getFullAXTree", Map.of())
                .get("nodes");

        assertThat(nodes)
                .extracting(node -> name((Map<?, ?>) node))
                .filteredOn(name -> name.startsWith("rowheader ") && name.contains("many-"))
                .hasSize(TOPICS)
                .isSorted();
    }

    private static String name(Map<?, ?> node) {
        return value(node.get("role")) + " " + value(node.get("name"));
    }

    private static Object value(Object property) {
        return property instanceof Map<?, ?> map ? map.get("value") : "";
    }
}
