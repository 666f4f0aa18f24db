package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.annotation.DelayListenerRegistry;
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

    @Test
    void tokenOfTheCookieIsSent() {
        page.open("").press("Pause listener mails on this node").check();
        page.confirm().awaitOutcome("Listener mails is paused here.");

        assertThat(registry.getContainer("mails").orElseThrow().isPaused()).isTrue();
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
        page.open("").press("Pause listener parcels on this node").check();
        browser.run("Object.defineProperty(document, 'cookie', { get: () => '" + cookie + "' })");
        page.confirm().awaitText("You do not have permission to do this");

        assertThat(registry.getContainer("parcels").orElseThrow().isPaused()).isFalse();
    }
}
