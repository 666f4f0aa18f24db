package io.delayqueue.actuate.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.ExposableEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;

/** The addresses in the page for different mappings of the endpoints. */
class DashboardAddressesTests {

    @ParameterizedTest
    @CsvSource({
        "delayqueuedashboard, delayqueue,  ./delayqueuedashboard, ./delayqueue",
        "ui,                  data/queue,  ./ui,                  ./data/queue",
        "ops/ui,              queue,       ./ui,                  ./../queue",
        "a/b/ui,              a/queue,     ./ui,                  ./../../a/queue",
        "a:b,                 c:d,         ./a:b,                 ./c:d",
        "ui,                  ,            ./ui,                  ''"
    })
    void addressesAreRelativeToThePage(String page, @Nullable String data, String files, String endpoint) {
        assertThat(DashboardAddresses.among(endpoints(page, data))).isEqualTo(new DashboardAddresses(files, endpoint));
    }

    @Test
    void addressStaysWithinItsAttribute() {
        String page =
                new DashboardAddresses("./a\"><b>&", "./c").putInto("<a href=\"{{files}}/d\" rel=\"{{endpoint}}\">");

        assertThat(page).isEqualTo("<a href=\"./a&quot;>&lt;b>&amp;/d\" rel=\"./c\">");
    }

    private static PathMappedEndpoints endpoints(String page, @Nullable String data) {
        List<ExposableEndpoint<?>> all = new ArrayList<>();
        all.add(endpoint(DelayQueueDashboardEndpoint.ID, page));
        if (data != null) {
            all.add(endpoint("delayqueue", data));
        }
        return new PathMappedEndpoints("/actuator", () -> List.copyOf(all));
    }

    private static ExposableEndpoint<?> endpoint(String id, String path) {
        return (ExposableEndpoint<?>) Proxy.newProxyInstance(
                PathMappedEndpoint.class.getClassLoader(),
                new Class<?>[] {ExposableEndpoint.class, PathMappedEndpoint.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getEndpointId" -> EndpointId.of(id);
                    case "getRootPath" -> path;
                    case "getAdditionalPaths" -> List.of();
                    default -> throw new AssertionError(method);
                });
    }
}
