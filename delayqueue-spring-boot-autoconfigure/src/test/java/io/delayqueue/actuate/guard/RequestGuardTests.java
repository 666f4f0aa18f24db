package io.delayqueue.actuate.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestGuardTests {

    private final RequestGuard guard =
            new RequestGuard("/ops", List.of(id -> id.toString().equals("one") ? "mapped" : null), "one", "two");

    @ParameterizedTest
    @ValueSource(strings = {"/ops/mapped", "/ops/mapped/", "/ops/mapped/cancel", "/ops/two/x/y"})
    void pathsOfTheEndpointsAreGuarded(String path) {
        assertThat(guard.guards(path)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "", "/ops", "/ops/one", "/ops/mapper", "/ops/twofold", "/two", "/x/ops/two"})
    void otherPathsAreNot(String path) {
        assertThat(guard.guards(path)).isFalse();
    }

    @Test
    void endpointsWithoutABasePathAreGuardedToo() {
        assertThat(new RequestGuard("", List.of(), "two").guards("/two/x")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        // how the server was reached, origin
        "http://localhost:8080, http://localhost:8080",
        "http://localhost:8080, HTTP://LocalHost:8080",
        "http://localhost:80, http://localhost",
        "https://example.com:443, https://example.com",
        "https://example.com, https://example.com:443",
        "http://[::1]:8080, http://[::1]:8080",
        "http://under_score:8080, http://under_score:8080",
        // a proxy that ends HTTPS and says nothing of it
        "http://example.com:80, https://example.com",
    })
    void ownPageMayAct(String server, String origin) {
        assertThat(guard.rejects("POST", server, origin, "same-origin")).isFalse();
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
    void otherPageMayNot(String server, String origin) {
        assertThat(guard.rejects("POST", server, origin, null)).isTrue();
        assertThat(guard.rejects("DELETE", server, origin, null)).isTrue();
        assertThat(guard.rejects("GET", server, origin, "cross-site")).isFalse();
    }

    @Test
    void browserThatSaysCrossSiteMayNot() {
        assertThat(guard.rejects("POST", "http://localhost:8080", null, "cross-site"))
                .isTrue();
        assertThat(guard.rejects("POST", "http://localhost:8080", "http://localhost:8080", "Cross-Site"))
                .isTrue();
    }

    @Test
    void whoeverIsNoBrowserMay() {
        assertThat(guard.rejects("POST", "http://localhost:8080", null, null)).isFalse();
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
    void actionIsNotOfAFormOnlyIfItHasJson(String method, String contentType, boolean ofAForm) {
        assertThat(RequestGuard.mayBeOfAForm(method, contentType)).isEqualTo(ofAForm);
    }
}
