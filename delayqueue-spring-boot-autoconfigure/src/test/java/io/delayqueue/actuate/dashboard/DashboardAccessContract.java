package io.delayqueue.actuate.dashboard;

import static io.delayqueue.actuate.dashboard.DashboardServingContract.EXPOSED;
import static io.delayqueue.actuate.dashboard.DashboardServingContract.attribute;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.actuate.EndpointNode;
import io.delayqueue.actuate.EndpointNode.Reply;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** The conditions of the dashboard on the application's own port. One application at a time, because servers of Netty share threads. */
abstract class DashboardAccessContract {

    private static final String PATH = "/actuator/delayqueuedashboard";

    private final WebApplicationType stack;

    DashboardAccessContract(WebApplicationType stack) {
        this.stack = stack;
    }

    @Test
    void dashboardIsDisabledByDefault() {
        try (EndpointNode node = EndpointNode.startOnOnePort(stack, PATH, EXPOSED)) {
            assertThat(node.view("").status()).isEqualTo(404);
            assertThat(node.view("app.js").status()).isEqualTo(404);
        }
    }

    @Test
    void pageHasNoAddressOfAnEndpointThatIsNotExposed() {
        try (EndpointNode node = EndpointNode.startOnOnePort(
                stack,
                PATH,
                "management.endpoints.web.exposure.include=delayqueuedashboard",
                "management.endpoint.delayqueuedashboard.access=read-only")) {
            Reply page = node.view("");
            assertThat(attribute(page.text(), "<meta name=\"delayqueue-endpoint\" content="))
                    .isEmpty();
            assertThat(page.header("Content-Security-Policy")).hasSize(1);
        }
    }
}
