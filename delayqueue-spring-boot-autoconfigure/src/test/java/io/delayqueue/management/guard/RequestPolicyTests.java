package io.delayqueue.management.guard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.security.Principal;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestPolicyTests {

    private static final String LOCAL = "http://localhost:8080";
    private static final String PRODUCER = "producer-token-1";
    private static final String NEXT_PRODUCER = "producer-token-2";
    private static final String CONSUMER = "consumer-token-1";
    private static final String BOTH = "token-of-a-client-with-both";
    private static final String ADMIN = "the-admins-token";

    private static final WebRequest CALL = request("GET", LOCAL, Map.of());

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final RequestPolicy ofTokens = new RequestPolicy(
            Set.of(),
            List.of(
                    client("producer", List.of(PRODUCER, NEXT_PRODUCER), null, Permission.PRODUCE),
                    client("consumer", List.of(CONSUMER), null, Permission.CONSUME),
                    client("both", List.of(BOTH), null, Permission.PRODUCE, Permission.CONSUME),
                    client("admin", List.of(ADMIN), null, Permission.ADMIN)),
            false);
    private final RequestPolicy ofAuthorities = new RequestPolicy(Set.of(), List.of(), false);
    private final RequestPolicy unsecured = new RequestPolicy(Set.of("Queue.example.com"), List.of(), true);

    private Client client(String name, List<String> tokens, @Nullable Integer rate, Permission... permissions) {
        return new Client(name, tokens, Set.of(permissions), List.of("*"), rate, null, now::get);
    }

    private static WebRequest request(String method, String server, Map<String, String> headers) {
        return new WebRequest(method, server, false, null, headers::get);
    }

    private static int status(@Nullable Rejection rejection) {
        return rejection == null ? 0 : rejection.status();
    }

    private static int call(RequestPolicy policy, @Nullable String token, Permission... anyOf) {
        Client client = policy.clientOf(token == null ? null : "Bearer " + token, null);
        return status(policy.checkCall(CALL, client, authority -> true, anyOf));
    }

    // CSRF

    private boolean isCrossSite(String server, Map<String, String> headers) {
        return ofAuthorities.checkAction(request("DELETE", server, headers)) != null;
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
        assertThat(isCrossSite(server, Map.of("Origin", origin))).isFalse();
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
        assertThat(isCrossSite(server, Map.of("Origin", origin))).isTrue();
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
    })
    void browserDecidesBeforeTheOrigin(String fetchSite, @Nullable String origin, boolean crossSite) {
        Map<String, String> headers = origin == null
                ? Map.of("Sec-Fetch-Site", fetchSite)
                : Map.of("Sec-Fetch-Site", fetchSite, "Origin", origin);

        assertThat(isCrossSite(LOCAL, headers)).isEqualTo(crossSite);
    }

    /** A page may link to the dashboard. */
    @Test
    void crossSitePageMayOnlyReadTheEndpoint() {
        Map<String, String> headers = Map.of("Sec-Fetch-Site", "cross-site", "Content-Type", "application/json");

        assertThat(status(ofAuthorities.checkAction(request("POST", LOCAL, headers))))
                .isEqualTo(403);
        assertThat(status(ofAuthorities.checkAction(request("DELETE", LOCAL, headers))))
                .isEqualTo(403);
        assertThat(ofAuthorities.checkAction(request("GET", LOCAL, headers))).isNull();
    }

    @Test
    void crossSitePageMayNotCallWithAnyCredentials() {
        Client admin = ofTokens.clientOf("Bearer " + ADMIN, null);
        WebRequest crossSite = request("GET", LOCAL, Map.of("Sec-Fetch-Site", "cross-site"));

        assertThat(ofTokens.checkCall(CALL, admin, any -> true)).isNull();
        assertThat(ofTokens.checkCall(crossSite, admin, any -> true).sentence()).startsWith("Cross-site");
        assertThat(status(ofTokens.checkCall(crossSite, null, any -> true))).isEqualTo(403);
    }

    @ParameterizedTest
    @CsvSource({
        "POST, application/json, 0",
        "POST, APPLICATION/JSON ; charset=utf-8, 0",
        "POST, application/vnd.spring-boot.actuator.v3+json, 0",
        "POST, , 415",
        "POST, '', 415",
        "POST, text/plain, 415",
        "POST, text/plain;application/json, 415",
        "POST, 'text/plain,application/json', 415",
        "POST, application/x-www-form-urlencoded, 415",
        "POST, multipart/form-data, 415",
        "GET, , 0",
    })
    void actionRequiresAJsonContentType(String method, @Nullable String contentType, int status) {
        Map<String, String> headers = contentType == null ? Map.of() : Map.of("Content-Type", contentType);

        assertThat(status(ofAuthorities.checkAction(request(method, LOCAL, headers))))
                .isEqualTo(status);
    }

    // hosts

    private int status(String server, Map<String, String> headers) {
        return status(unsecured.checkHost(request("GET", server, headers), false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://localhost:8080",
                "http://shop:8080",
                "http://dev.localhost",
                "http://queue.shop.svc:8080",
                "http://queue.shop.svc.cluster.local",
                "http://queue.corp.internal",
                "http://127.0.0.1:8080",
                "http://[::1]:8080",
                "https://shop.example.com",
                "http://queue.example.com:8080",
                "http://QUEUE.example.com"
            })
    void hostThatNoOtherSiteCanHaveIsAllowed(String server) {
        assertThat(status(server, Map.of())).isZero();
        assertThat(status(server, Map.of("Origin", server))).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://shop.example.com:8080",
                "http://1.2.3.4.example",
                "http://x.queue.example.com",
                "http://local.example",
                "http://localhost.",
                "http://",
            })
    void anyOtherHostRequiresHttpsOrAuthentication(String server) {
        assertThat(status(server, Map.of())).isEqualTo(403);
        assertThat(status(server, Map.of("Origin", server))).isEqualTo(403);
        assertThat(status(server, Map.of("Origin", "null"))).isEqualTo(403);
        assertThat(status("https://localhost", Map.of("Host", server.substring("http://".length()))))
                .isEqualTo(403);
        assertThat(unsecured.checkHost(new WebRequest("GET", server, true, null, name -> null), false))
                .isNull();
        assertThat(unsecured.checkHost(request("GET", server, Map.of()), true)).isNull();
    }

    @Test
    void pageWithHttpsIsAllowedBehindAProxyThatTerminatesTls() {
        String server = "http://shop.example.com:80";

        assertThat(status(server, Map.of("Origin", "https://shop.example.com"))).isZero();
        assertThat(status(server, Map.of("Host", "shop.example.com", "Sec-Fetch-Site", "none")))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shop:8080", "10.1.2.3", "[::1]:8080", "queue.example.com:81"})
    void forwardedHostIsAllowedIfItHasHttps(String host) {
        assertThat(status("https://shop.example.com:443", Map.of("Host", host))).isZero();
        assertThat(status("http://shop.example.com:443", Map.of("Host", host))).isEqualTo(403);
    }

    /** A page of another site has no credentials. */
    @Test
    void unsecuredCallsAreCheckedByTheirHostsOnly() {
        WebRequest foreign = request("GET", "http://evil.example", Map.of());
        Client anybody = unsecured.clientOf(null, null);
        Client user = unsecured.clientOf(null, () -> "somebody");

        assertThat(unsecured.checkCall(CALL, anybody, any -> false, Permission.ADMIN))
                .isNull();
        assertThat(unsecured.checkCall(foreign, anybody, any -> true).sentence())
                .contains("delayqueue.allowed-hosts");
        assertThat(unsecured.checkCall(foreign, user, any -> false, Permission.ADMIN))
                .isNull();
    }

    // tokens

    @ParameterizedTest
    @CsvSource({
        "producer-token-1, PRODUCE, 0",
        "producer-token-2, PRODUCE, 0",
        "producer-token-1, CONSUME, 403",
        "producer-token-1, ADMIN, 403",
        "consumer-token-1, CONSUME, 0",
        "consumer-token-1, PRODUCE, 403",
        "token-of-a-client-with-both, PRODUCE, 0",
        "token-of-a-client-with-both, CONSUME, 0",
        "token-of-a-client-with-both, ADMIN, 403",
        "the-admins-token, PRODUCE, 0",
        "the-admins-token, CONSUME, 0",
        "the-admins-token, ADMIN, 0",
        "producer-token-3, PRODUCE, 401",
        "producer-token-, PRODUCE, 401",
        "Producer-token-1, PRODUCE, 401",
        ", PRODUCE, 401"
    })
    void tokenGrantsItsPermissions(@Nullable String token, Permission needed, int status) {
        assertThat(call(ofTokens, token, needed)).isEqualTo(status);
    }

    @Test
    void oneOfThePermissionsIsSufficient() {
        assertThat(call(ofTokens, CONSUMER, Permission.PRODUCE, Permission.CONSUME))
                .isZero();
    }

    @Test
    void tokenIsAcceptedAsAPassword() {
        String basic = "Basic " + Base64.getEncoder().encodeToString(("anybody:" + PRODUCER).getBytes(UTF_8));

        assertThat(ofTokens.clientOf(basic, null).name()).isEqualTo("producer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer ", "Basic", "Basic !", "Basic eA==", "Digest producer-token-1", "x"})
    void invalidTokenBelongsToNoClient(String authorization) {
        assertThat(ofTokens.clientOf(authorization, () -> "somebody")).isNull();
    }

    @Test
    void callsBeyondTheRateAreRejectedForEachClient() {
        RequestPolicy limited = new RequestPolicy(
                Set.of(),
                List.of(
                        client("shop", List.of(PRODUCER), 2, Permission.PRODUCE),
                        client("admin", List.of(ADMIN), null, Permission.ADMIN)),
                false);

        assertThat(call(limited, PRODUCER, Permission.PRODUCE)).isZero();
        assertThat(call(limited, PRODUCER, Permission.CONSUME)).isEqualTo(403);
        assertThat(call(limited, PRODUCER, Permission.CONSUME)).isEqualTo(429);
        assertThat(call(limited, ADMIN, Permission.PRODUCE)).isZero();
        now.addAndGet(500_000_000);
        assertThat(call(limited, PRODUCER, Permission.PRODUCE)).isZero();
        assertThat(call(limited, PRODUCER, Permission.PRODUCE)).isEqualTo(429);
    }

    @Test
    void clientsAreIdentifiedByTheirNames() {
        Client user = unsecured.clientOf(null, () -> "producer");

        assertThat(user.name()).isEqualTo("producer");
        assertThat(user.tag()).isEqualTo("none");
        assertThat(unsecured.clientOf(null, null).name()).isEqualTo("http");
        assertThat(unsecured.clientOf(null, null).identity()).isEmpty();
        assertThat(with(NEXT_PRODUCER).identity()).isEqualTo(with(PRODUCER).identity());
        assertThat(with(PRODUCER).tag()).isEqualTo("producer");
        assertThat(List.of(with(PRODUCER).identity(), with(CONSUMER).identity(), user.identity()))
                .doesNotHaveDuplicates()
                .allMatch(identity -> identity.matches("[0-9a-f]{64}"));
    }

    private Client with(String token) {
        return ofTokens.clientOf("Bearer " + token, null);
    }

    // authorities

    @ParameterizedTest
    @CsvSource({
        ", PRODUCE, 403",
        "delayqueue:produce, PRODUCE, 0",
        "delayqueue:produce, CONSUME, 403",
        "delayqueue:produce, ADMIN, 403",
        "delayqueue:consume, CONSUME, 0",
        "delayqueue:admin, PRODUCE, 0",
        "delayqueue:admin, ADMIN, 0",
        "produce, PRODUCE, 403"
    })
    void withoutTokensAnAuthenticatedClientNeedsTheAuthority(@Nullable String granted, Permission needed, int status) {
        Principal somebody = () -> "somebody";
        Client user = ofAuthorities.clientOf(null, somebody);

        assertThat(status(ofAuthorities.checkCall(CALL, user, each -> each.equals(granted), needed)))
                .isEqualTo(status);
    }

    @Test
    void withoutTokensUnauthenticatedClientIsRejected() {
        assertThat(call(ofAuthorities, null, Permission.PRODUCE)).isEqualTo(403);
        assertThat(call(ofAuthorities, PRODUCER, Permission.PRODUCE)).isEqualTo(403);
    }
}
