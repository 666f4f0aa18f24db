package io.delayqueue.management.guard;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WebRequestTests {

    private static boolean isCrossSite(String server, @Nullable String origin, @Nullable String fetchSite) {
        return new WebRequest("POST", server, false, null, name -> switch (name) {
                    case "Origin" -> origin;
                    case "Sec-Fetch-Site" -> fetchSite;
                    default -> null;
                })
                .isCrossSite();
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
    void pageOfTheSameOriginIsNotCrossSite(String server, String origin) {
        assertThat(isCrossSite(server, origin, null)).isFalse();
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
    void pageOfAnotherOriginIsCrossSite(String server, String origin) {
        assertThat(isCrossSite(server, origin, null)).isTrue();
    }

    /** Behind a proxy that changes the host, the browser knows better. */
    @ParameterizedTest
    @CsvSource({
        "same-origin, , false",
        "none, , false",
        "same-origin, http://elsewhere, false",
        "cross-site, , true",
        "Cross-Site, http://localhost:8080, true",
        "same-site, , true",
        "'same-origin,none', , true",
        ", , false"
    })
    void browserDecidesBeforeTheOrigin(@Nullable String fetchSite, @Nullable String origin, boolean crossSite) {
        assertThat(isCrossSite("http://localhost:8080", origin, fetchSite)).isEqualTo(crossSite);
    }
}
