package io.delayqueue.autoconfigure.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Clients with tokens behind Spring Boot's filter chain, which rejects each request that has no user of its own. */
@EmbeddedRedis
@ExtendWith(OutputCaptureExtension.class)
class DefaultSecurityChainTests {

    private static final String TOKEN = "0123456789abcdef";

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    private static ConfigurableApplicationContext context;

    @BeforeAll
    static void start(RedisServerProcess redis) {
        context = new SpringApplicationBuilder(Application.class)
                .run(
                        "--server.address=127.0.0.1",
                        "--server.port=0",
                        "--spring.data.redis.port=" + redis.port(),
                        "--delayqueue.http.api.enabled=true",
                        "--delayqueue.http.clients.shop.tokens=" + TOKEN,
                        "--delayqueue.http.clients.shop.permissions=produce");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @Test
    void rejectionOfATokenIsLogged(CapturedOutput output) throws Exception {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port + "/delayqueue/v1/topics/t/messages"))
                .header("Authorization", "Bearer " + TOKEN)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"payload\": 1}"))
                .build();

        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(output.getOut())
                .contains("rejected a request of client 'shop'", "securityMatcher(\"/delayqueue/v1/**\")");
    }
}
