package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.coordination.NodeReport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;

/** The page sends the CSRF token of Spring Security, and shows that a request is rejected. */
@Tag("long")
@Tag("browser")
@TestPropertySource(properties = {"delayqueue.namespace=dashboard-csrf", "test.csrf=true"})
class DashboardCsrfTests extends DashboardTest {

    @Autowired
    private DelayListenerRegistry registry;

    @Autowired
    private DelayQueueInspector inspector;

    @Test
    void tokenOfTheCookieIsSent() {
        page.open("").press(pauseHere("mails")).check();
        page.confirm().awaitOutcome("Listener mails is paused on " + NodeReport.thisHost());

        await().untilAsserted(() -> assertThat(
                        registry.getContainer("mails").orElseThrow().pauses())
                .hasSize(1));
    }

    @Test
    void rejectionWithoutATokenNamesTheMissingToken() {
        rejected("");
        page.awaitOutcome("the application does not offer it in the cookie XSRF-TOKEN");
    }

    @Test
    void rejectionWithATokenNamesThePermissionOnly() {
        rejected("XSRF-TOKEN=another");
        page.awaitOutcome("You do not have permission to do this.");
        assertThat(page.text()).doesNotContain("CSRF");
    }

    private void rejected(String cookie) {
        page.open("").press(pauseHere("parcels")).check();
        browser.run("Object.defineProperty(document, 'cookie', { get: () => '" + cookie + "' })");
        page.confirm().awaitText("You do not have permission to do this");

        assertThat(inspector.topic(DashboardApplication.PARCELS).orElseThrow().pauses())
                .isEmpty();
    }

    private static String pauseHere(String listener) {
        return "Pause on this node listener " + listener + " on " + NodeReport.thisHost();
    }
}
