package io.delayqueue.autoconfigure.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.metrics.DelayQueueMeters;
import io.delayqueue.testing.Scrape;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard's panels of the HTTP interfaces use series of a real application, and show each meter. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpPanelsTests {

    private static final Path DASHBOARD = Path.of("..", "docs", "operations", "grafana-dashboard.json");
    private static final String TOKEN = "the-token-of-the-panels";

    private ConfigurableApplicationContext context;
    private Scrape scrape;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        @Bean
        PrometheusMeterRegistry registry() {
            return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        }

        @Bean
        SecurityFilterChain everything(HttpSecurity http) {
            return http.csrf(csrf -> csrf.disable())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @BeforeAll
    void scrape() throws IOException, InterruptedException {
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.address=127.0.0.1",
                        "server.port=0",
                        "delayqueue.namespace=" + UUID.randomUUID(),
                        "delayqueue.http.api.enabled=true",
                        "delayqueue.http.clients.panels.tokens=" + TOKEN,
                        "delayqueue.http.clients.panels.permissions=admin")
                .run();
        assertThat(receive(TOKEN)).isEqualTo(200);
        assertThat(receive("an-unknown-token-of-nobody")).isEqualTo(401);
        PrometheusMeterRegistry registry = context.getBean(PrometheusMeterRegistry.class);
        // a request is recorded a moment after its response
        await().until(() ->
                registry.find(DelayQueueMeters.HTTP_REQUESTS.getName()).timers().size() == 2);
        scrape = Scrape.of(registry.scrape());
    }

    @AfterAll
    void stop() {
        context.close();
    }

    private int receive(String token) throws IOException, InterruptedException {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/delayqueue/v1/receive"))
                                .header("Authorization", "Bearer " + token)
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString("{\"topics\": [\"t\"]}"))
                                .build(),
                        BodyHandlers.discarding())
                .statusCode();
    }

    private static List<String> expressions() throws IOException {
        List<String> expressions = new ArrayList<>();
        JsonMapper.shared()
                .readTree(Files.readString(DASHBOARD, UTF_8))
                .path("panels")
                .forEach(panel -> panel.path("targets")
                        .forEach(target -> expressions.add(target.path("expr").asString())));
        return expressions.stream()
                .filter(expression -> expression.contains("delayqueue_http_"))
                .toList();
    }

    @Test
    void panelsUseExistingSeries() throws IOException {
        assertThat(expressions()).hasSizeGreaterThanOrEqualTo(6);
        expressions().forEach(scrape::check);
    }
}
