package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardApplication.HOSTILE;
import static io.delayqueue.actuate.dashboard.DashboardApplication.LONELY;
import static io.delayqueue.actuate.dashboard.DashboardPage.topic;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

/** The page in a browser, in short: it loads, polls, acts and shows text as text. The other tests in a browser are soak tests. */
@DashboardTest
@TestPropertySource(properties = "delayqueue.namespace=dashboard-smoke")
class DashboardSmokeTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final String SCRIPT = "\"'><script>window.hurt=1</script>";

    @Autowired
    private DelayQueueOperations queue;

    @Autowired
    private RequestCounter requests;

    @LocalServerPort
    private int port;

    private Browser browser;
    private DashboardPage page;

    @BeforeEach
    void openPage(Browser browser) {
        this.browser = browser;
        page = new DashboardPage(browser, port);
    }

    @AfterEach
    void nothingWentWrongUnseen() {
        assertThat(page.complaints()).isEmpty();
    }

    @Test
    void changesAreShownByOneRequestAtATime() {
        page.open(topic("changed")).awaitText("There is no such topic.");
        String id = queue.send("changed", "text", HOUR).id();
        page.awaitText(id);
        queue.cancel("changed", id);
        page.awaitNoText(id);

        assertThat(requests.most()).isOne();
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
