package io.delayqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

class ReadyMessageTests {

    private final MockEnvironment environment = new MockEnvironment()
            .withProperty("local.server.port", "8080")
            .withProperty("sample.payment-window", "15s");

    @Test
    void linksUseTheServerPort() {
        assertThat(new ReadyMessage(environment).text())
                .contains("Open   http://localhost:8080\n", "http://localhost:8080/actuator/health\n");
    }

    @Test
    void directoryOfTheOrdersIsAbsolute() {
        environment.setProperty("sample.data", "./target/shop");

        assertThat(new ReadyMessage(environment).text())
                .contains("orders stay in " + Path.of("target", "shop").toAbsolutePath() + ";");
    }

    @Test
    void linksToEndpointsUseTheManagementPortAndPath() {
        environment.setProperty("local.management.port", "9090");
        environment.setProperty("management.endpoints.web.base-path", "/ops");

        assertThat(new ReadyMessage(environment).text())
                .contains(
                        "Open   http://localhost:8080\n",
                        "Watch  http://localhost:9090/ops/delayqueuedashboard\n",
                        "http://localhost:9090/ops/delayqueue\n",
                        "http://localhost:9090/ops/health\n",
                        "http://localhost:9090/ops/prometheus\n")
                .doesNotContain("/actuator", "localhost:9090/orders");
    }
}
