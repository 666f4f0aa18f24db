package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.HOSTILE;
import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

/** A short test of the page: it loads, polls, acts and shows data as text. */
@TestPropertySource(properties = "delayqueue.namespace=dashboard-smoke")
@Tag("long")
@Tag("browser")
class DashboardSmokeTests extends DashboardTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final String SCRIPT = "\"'><script>window.hurt=1</script>";

    @Autowired
    private RequestCounter requests;

    @AfterEach
    void consoleHasNoErrors() {
        assertThat(page.consoleMessages()).isEmpty();
    }

    @Test
    void changesAreShownByOneRequestAtATime() {
        page.open(topic("changed")).awaitText("There is no such topic.");
        String id = queue.send("changed", "text", HOUR).id();
        page.awaitText(id);
        queue.cancel("changed", id);
        page.awaitNoText(id);

        assertThat(requests.maxConcurrent()).isOne();
    }

    @Test
    void messageIsCancelled() {
        String id = queue.send(LONELY, "text", HOUR).id();
        page.open(topic(LONELY, "scheduled")).press("Cancel message " + id);
        assertThat(page.check()).contains("Cancel this message?", id, LONELY);
        page.goBack();
        assertThat(queue.find(LONELY, id)).isPresent();

        page.press("Cancel message " + id).confirm().awaitOutcome(id + " is cancelled.");

        assertThat(queue.find(LONELY, id)).isEmpty();
        page.awaitNoText(id + "\n");
    }

    @Test
    void idHeadersAndPayloadAreText() {
        queue.send(DelayMessage.to("texts")
                .id(SCRIPT)
                .payload("{\"" + HOSTILE.replace("\"", "\\\"") + "\":1}")
                .header(HOSTILE + "=", SCRIPT)
                .delay(HOUR)
                .build());
        page.open(topic("texts", "scheduled")).awaitText(SCRIPT).awaitText("{\"" + HOSTILE.replace("\"", "\\\""));
        page.press("Cancel message " + SCRIPT);
        assertThat(page.check()).contains(SCRIPT);
        page.goBack().press(SCRIPT).awaitText(HOSTILE + "=").awaitText(SCRIPT + "\n");
        assertThat(page.text()).contains("Headers", "Payload");
        page.press("Cancel message " + SCRIPT).confirm().awaitOutcome(SCRIPT + " is cancelled.");

        assertThat(browser.run(Object.class, "return window.hurt")).isNull();
        assertThat(browser.run(Long.class, "return document.querySelectorAll('img, iframe, script:not([src])').length"))
                .isZero();
    }
}
