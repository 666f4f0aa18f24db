package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.web.api.openapi.DocumentConfiguration;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The document that is shipped is what springdoc makes of the controllers and their comments. With
 * {@code DELAYQUEUE_OPENAPI=write} in the environment it is written anew.
 */
class OpenApiDocumentTests {

    private static final Path SHIPPED = Path.of("src/main/resources/io/delayqueue/web/api/openapi.json");
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(DocumentConfiguration.class)
    static class Documented {

        @Bean
        SecurityFilterChain everybody(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @Test
    void theShippedDocumentIsWhatTheControllersSay() throws IOException {
        JsonNode generated;
        try (ApiNode node = ApiNode.start(
                Documented.class,
                "springdoc.api-docs.enabled=true",
                "springdoc.api-docs.version=openapi_3_1",
                "springdoc.paths-to-match=/delayqueue/v1/**",
                "springdoc.default-produces-media-type=application/json",
                "springdoc.show-actuator=false")) {
            generated = node.exchange(HttpRequest.newBuilder(URI.create(node.site() + "/v3/api-docs")))
                    .json();
        }
        if ("write".equals(System.getenv("DELAYQUEUE_OPENAPI"))) {
            Files.writeString(SHIPPED, MAPPER.writeValueAsString(generated) + "\n");
        }

        assertThat(MAPPER.readTree(SHIPPED.toFile()))
                .as("Write it anew: DELAYQUEUE_OPENAPI=write, and this test")
                .isEqualTo(generated);
    }

    @Test
    void itIsServedWithTheAddressOfWhoServesIt() {
        JsonNode served = ApiNode.shared().get("/openapi.json").json();

        assertThat(served.path("openapi").asString()).startsWith("3.1");
        assertThat(served.path("servers").get(0).path("url").asString()).isEqualTo("/delayqueue/v1");
        assertThat(served.path("paths").propertyNames()).contains("/topics/{topic}/messages", "/openapi.json");
        try (ApiNode node = ApiNode.start("delayqueue.http.api.base-path=/queue", "server.servlet.context-path=/app")) {
            assertThat(node.exchange(HttpRequest.newBuilder(URI.create(node.site() + "/app/queue/openapi.json"))
                                    .header("Authorization", "Bearer " + ApiNode.TOKEN))
                            .json()
                            .path("servers")
                            .get(0)
                            .path("url")
                            .asString())
                    .isEqualTo("/app/queue");
        }
    }
}
