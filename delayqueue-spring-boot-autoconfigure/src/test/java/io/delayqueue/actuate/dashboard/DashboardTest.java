package io.delayqueue.actuate.dashboard;

import io.delayqueue.template.DelayQueueOperations;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** A test of the dashboard in a browser, served by a real application on a real Redis. All actions are permitted. */
@RequiresBrowser
@SpringBootTest(
        classes = DashboardApplication.class,
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "management.endpoints.web.exposure.include=delayqueue,delayqueuedashboard",
            "management.endpoint.delayqueue.access=unrestricted",
            "management.endpoint.delayqueue.show-payloads=always",
            "management.endpoint.delayqueuedashboard.access=read-only"
        })
abstract class DashboardTest {

    @Autowired
    DelayQueueOperations queue;

    @LocalServerPort
    private int port;

    Browser browser;
    DashboardPage page;

    @BeforeEach
    void openPage(Browser browser) {
        this.browser = browser;
        page = new DashboardPage(browser, port);
    }
}
