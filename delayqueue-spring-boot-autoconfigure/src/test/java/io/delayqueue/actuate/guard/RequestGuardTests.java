package io.delayqueue.actuate.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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

    @ParameterizedTest
    @CsvSource({
        // URL of the server, origin
        "http://localhost:8080, http://localhost:8080",
        "http://localhost:8080, HTTP://LocalHost:8080",
        "http://localhost:80, http://localhost",
        "https://example.com:443, https://example.com",
        "https://example.com, https://example.com:443",
        "http://[::1]:8080, http://[::1]:8080",
        "http://under_score:8080, http://under_score:8080",
        // a proxy that terminates TLS and sends no forwarded headers
        "http://example.com:80, https://example.com",
    })
    void pageOfTheSameOriginMayAct(String server, String origin) {
        assertThat(guard.isCrossSiteAction("POST", server, origin, "same-origin"))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost:8080, http://localhost:8081",
        "http://localhost:8080, http://localhost",
        "http://localhost:8080, http://127.0.0.1:8080",
        "https://example.com:443, http://example.com",
        "https://example.com:443, https://example.com.evil.org",
        "https://example.com:443, https://evil.example.com",
        "https://example.com:443, https://example.com@evil.org",
        "https://example.com:443, https://example.com/",
        "https://example.com:443, null",
        "https://example.com:443, ''",
        "https://example.com:443, 'https://example.com,https://evil.org'",
        "https://example.com:443, https://example.com:443:443",
        "https://example.com:443, https://example.com:99999999999",
        "http://localhost:8080, chrome-extension://localhost:8080",
        "nonsense, nonsense",
    })
    void pageOfAnotherOriginMustNotAct(String server, String origin) {
        assertThat(guard.isCrossSiteAction("POST", server, origin, null)).isTrue();
        assertThat(guard.isCrossSiteAction("DELETE", server, origin, null)).isTrue();
        assertThat(guard.isCrossSiteAction("GET", server, origin, "cross-site")).isFalse();
    }

    @Test
    void crossSiteRequestMustNotAct() {
        assertThat(guard.isCrossSiteAction("POST", "http://localhost:8080", null, "cross-site"))
                .isTrue();
        assertThat(guard.isCrossSiteAction("POST", "http://localhost:8080", "http://localhost:8080", "Cross-Site"))
                .isTrue();
    }

    @Test
    void requestWithoutAnOriginMayAct() {
        assertThat(guard.isCrossSiteAction("POST", "http://localhost:8080", null, null))
                .isFalse();
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
