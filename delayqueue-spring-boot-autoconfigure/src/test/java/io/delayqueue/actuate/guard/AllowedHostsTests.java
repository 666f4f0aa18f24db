package io.delayqueue.actuate.guard;

import static org.assertj.core.api.Assertions.assertThat;

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
        assertThat(hosts.mayBeRebound(server, null)).isFalse();
        assertThat(hosts.mayBeRebound(server, server)).isFalse();
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
        assertThat(hosts.mayBeRebound(server, null)).isTrue();
        assertThat(hosts.mayBeRebound(server, server)).isTrue();
        assertThat(hosts.mayBeRebound(server, "null")).isTrue();
    }

    @Test
    void pageWithHttpsIsAllowedBehindAProxyThatTerminatesTls() {
        assertThat(hosts.mayBeRebound("http://shop.example.com:80", "https://shop.example.com"))
                .isFalse();
    }
}
