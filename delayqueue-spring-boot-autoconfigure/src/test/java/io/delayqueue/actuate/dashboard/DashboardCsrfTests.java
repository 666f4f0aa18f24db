package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.annotation.DelayListenerRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;

/** Where Spring Security wants its token back it gets it, and what it rejects is told. */
@DashboardTest
@Tag("soak")
@TestPropertySource(properties = {"delayqueue.namespace=dashboard-csrf", "test.csrf=true"})
class DashboardCsrfTests {

    @Autowired
    private DelayListenerRegistry registry;

    @LocalServerPort
    private int port;

    @Test
    void tokenOfTheCookieIsGivenBack(Browser browser) {
        DashboardPage page = new DashboardPage(browser, port).open("");
        page.press("Pause listener mails on this node").check();
        page.confirm().awaitOutcome("Listener mails is paused here.");

        assertThat(registry.getContainer("mails").orElseThrow().isPaused()).isTrue();
    }

    @Test
    void rejectionIsTold(Browser browser) {
        DashboardPage page = new DashboardPage(browser, port).open("");
        page.press("Pause listener parcels on this node").check();
        browser.run("Object.defineProperty(document, 'cookie', { get: () => '' })");
        page.confirm().awaitOutcome("You do not have permission to do this.");

        assertThat(registry.getContainer("parcels").orElseThrow().isPaused()).isFalse();
    }
}
