package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.web.api.openapi.DocumentConfiguration;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
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
 * Compares the packaged OpenAPI document with the one that springdoc generates from the controllers and their Javadoc.
 * With {@code DELAYQUEUE_OPENAPI=write} in the environment, the test regenerates the packaged document.
 */
class OpenApiDocumentTests {

    private static final Path SHIPPED = Path.of("src/main/resources/io/delayqueue/web/api/openapi.json");
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private final ApiNode node = ApiNode.shared();

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
    void packagedDocumentMatchesTheControllers() throws IOException {
        JsonNode generated;
        try (ApiNode documented = ApiNode.start(
                Documented.class,
                "springdoc.api-docs.enabled=true",
                "springdoc.api-docs.version=openapi_3_1",
                "springdoc.paths-to-match=/delayqueue/v1/**",
                "springdoc.default-produces-media-type=application/json",
                "springdoc.show-actuator=false")) {
            generated = documented
                    .exchange(HttpRequest.newBuilder(URI.create(documented.site() + "/v3/api-docs")))
                    .json();
        }
        if ("write".equals(System.getenv("DELAYQUEUE_OPENAPI"))) {
            Files.writeString(SHIPPED, MAPPER.writeValueAsString(generated) + "\n");
        }

        assertThat(MAPPER.readTree(SHIPPED.toFile()))
                .as("Regenerate it: run this test with DELAYQUEUE_OPENAPI=write")
                .isEqualTo(generated);
    }

    @Test
    void packagedDocumentHasTheDefaultBounds() {
        assertThat(node.get("/openapi.json").json()).isEqualTo(MAPPER.readTree(SHIPPED.toFile()));
    }

    @TestFactory
    Stream<DynamicTest> tokensAuthorizeTheOperationsThatNameTheirPermission() {
        Map<String, String> tokens =
                Map.of("produce", ApiNode.PRODUCER, "consume", ApiNode.CONSUMER, "admin", ApiNode.TOKEN);
        return DocumentedStatuses.operations().entrySet().stream()
                .map(operation -> DynamicTest.dynamicTest(operation.getKey(), () -> {
                    Set<String> bearer = kinds(operation.getValue(), "bearer");
                    assertThat(kinds(operation.getValue(), "basic"))
                            .isEqualTo(bearer)
                            .isNotEmpty();
                    tokens.forEach((kind, token) -> {
                        int status = ask(operation.getKey(), token).status();
                        assertThat(status == 403).as(kind).isEqualTo(!bearer.contains(kind));
                    });
                    assertThat(ask(operation.getKey(), "no-token-of-any-kind").status())
                            .isEqualTo(401);
                }));
    }

    private ApiNode.Reply ask(String operation, String token) {
        String[] parts = operation.split(" ", 2);
        return node.exchange(node.request(parts[1].replaceAll("\\{\\w+}", "none"))
                .setHeader("Authorization", "Bearer " + token)
                .method(parts[0], HttpRequest.BodyPublishers.noBody()));
    }

    private static Set<String> kinds(JsonNode operation, String scheme) {
        return operation
                .path("security")
                .valueStream()
                .flatMap(each -> each.path(scheme).valueStream().map(JsonNode::asString))
                .collect(Collectors.toSet());
    }

    @Test
    void servedDocumentHasTheActualBasePath() {
        JsonNode served = node.get("/openapi.json").json();

        assertThat(served.path("openapi").asString()).startsWith("3.1");
        assertThat(served.path("servers").get(0).path("url").asString()).isEqualTo("/delayqueue/v1");
        assertThat(served.path("paths").propertyNames()).contains("/topics/{topic}/messages", "/openapi.json");
    }
}
