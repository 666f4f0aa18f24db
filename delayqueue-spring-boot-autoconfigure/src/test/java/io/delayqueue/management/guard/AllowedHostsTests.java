package io.delayqueue.management.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedHostsTests {

    private final AllowedHosts hosts = new AllowedHosts(Set.of("Queue.example.com"));

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
        assertThat(mayBeRebound(server, Map.of())).isFalse();
        assertThat(mayBeRebound(server, Map.of("Origin", server))).isFalse();
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
    void anyOtherHostWithoutHttpsMayBeRebound(String server) {
        assertThat(mayBeRebound(server, Map.of())).isTrue();
        assertThat(mayBeRebound(server, Map.of("Origin", server))).isTrue();
        assertThat(mayBeRebound(server, Map.of("Origin", "null"))).isTrue();
        assertThat(mayBeRebound("https://localhost", Map.of("Host", server.substring("http://".length()))))
                .isTrue();
        assertThat(hosts.mayBeRebound(server, true, name -> null)).isFalse();
    }

    @Test
    void pageWithHttpsIsAllowedBehindAProxyThatTerminatesTls() {
        String server = "http://shop.example.com:80";
        assertThat(mayBeRebound(server, Map.of("Origin", "https://shop.example.com")))
                .isFalse();
        assertThat(mayBeRebound(server, Map.of("Host", "shop.example.com", "Sec-Fetch-Site", "none")))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shop:8080", "10.1.2.3", "[::1]:8080", "queue.example.com:81"})
    void forwardedHostIsAllowedIfItHasHttps(String host) {
        assertThat(mayBeRebound("https://shop.example.com:443", Map.of("Host", host)))
                .isFalse();
        assertThat(mayBeRebound("http://shop.example.com:443", Map.of("Host", host)))
                .isTrue();
    }

    private boolean mayBeRebound(String server, Map<String, String> headers) {
        return hosts.mayBeRebound(server, false, headers::get);
    }
}
