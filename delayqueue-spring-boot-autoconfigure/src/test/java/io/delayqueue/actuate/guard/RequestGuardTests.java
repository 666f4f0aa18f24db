package io.delayqueue.actuate.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.management.guard.AllowedHosts;
import io.delayqueue.management.guard.WebRequest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestGuardTests {

    private final RequestGuard guard = new RequestGuard(
            new AllowedHosts(Set.of()),
            "/ops",
            List.of(id -> id.toString().equals("one") ? "mapped" : null),
            "one",
            "two");

    @ParameterizedTest
    @ValueSource(strings = {"/ops/mapped", "/ops/mapped/", "/ops/mapped/cancel", "/ops/two/x/y"})
    void pathsOfTheEndpointsAreGuarded(String path) {
        assertThat(guard.guards(path)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "", "/ops", "/ops/one", "/ops/mapper", "/ops/twofold", "/two", "/x/ops/two"})
    void otherPathsAreNotGuarded(String path) {
        assertThat(guard.guards(path)).isFalse();
    }

    @Test
    void endpointsWithoutABasePathAreGuarded() {
        assertThat(new RequestGuard(new AllowedHosts(Set.of()), "", List.of(), "two").guards("/two/x"))
                .isTrue();
    }

    /** A page may link to the dashboard. */
    @Test
    void crossSiteRequestMayOnlyRead() {
        assertThat(guard.check(crossSite("POST"))).isEqualTo(RejectionResponse.CROSS_SITE);
        assertThat(guard.check(crossSite("DELETE"))).isEqualTo(RejectionResponse.CROSS_SITE);
        assertThat(guard.check(crossSite("GET"))).isNull();
    }

    private static WebRequest crossSite(String method) {
        Map<String, String> headers = Map.of("Sec-Fetch-Site", "cross-site", "Content-Type", "application/json");
        return new WebRequest(method, "http://localhost:8080", false, null, headers::get);
    }

    @ParameterizedTest
    @CsvSource({
        "POST, application/json, false",
        "POST, APPLICATION/JSON ; charset=utf-8, false",
        "POST, application/vnd.spring-boot.actuator.v3+json, false",
        "POST, , true",
        "POST, '', true",
        "POST, text/plain, true",
        "POST, text/plain;application/json, true",
        "POST, 'text/plain,application/json', true",
        "POST, application/x-www-form-urlencoded, true",
        "POST, multipart/form-data, true",
        "GET, , false",
    })
    void actionRequiresAJsonContentType(String method, String contentType, boolean rejected) {
        assertThat(RequestGuard.lacksJsonBody(method, contentType)).isEqualTo(rejected);
    }
}
