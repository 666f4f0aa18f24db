package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.web.api.ApiNode.Reply;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

/** Permissions of tokens. {@link OpenApiDocumentTests} tests each operation. */
class AccessTests {

    private final ApiNode node = ApiNode.shared();

    private Reply ask(String method, String path, @Nullable String token, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(node.site() + ApiNode.BASE + path))
                .method(method, BodyPublishers.noBody());
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return node.exchange(headers.length == 0 ? request : request.headers(headers));
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /nothing",
        "PUT, /topics/t/messages",
        "OPTIONS, /topics/t/messages",
        "POST, /topics/t/messages",
        "GET, /topics"
    })
    void eachRequestRequiresAToken(String method, String path) {
        for (String token : new String[] {null, "another-token-than-these"}) {
            Reply reply = ask(method, path, token);
            assertThat(reply.status()).isEqualTo(401);
            assertThat(reply.problem()).isEqualTo("unauthorized");
            assertThat(reply.header("WWW-Authenticate")).isEqualTo("Bearer realm=\"delayqueue\"");
        }
    }

    @Test
    void tokenWithoutThePermissionIsRejected() {
        assertThat(ask("GET", "/topics", ApiNode.PRODUCER).problem()).isEqualTo("forbidden");
        assertThat(ask("GET", "/nothing", ApiNode.PRODUCER).status()).isEqualTo(404);
    }

    @Test
    void crossSiteRequestsAreRejected() {
        Reply reply = ask("DELETE", "/topics/t/messages/a", ApiNode.TOKEN, "Sec-Fetch-Site", "cross-site");

        assertThat(reply.status()).isEqualTo(403);
        assertThat(reply.problem()).isEqualTo("forbidden");
    }

    /** An application that moves all controllers and matches paths regardless of case. */
    @Import(ApiApplication.class)
    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Moved implements WebMvcConfigurer {

        @Override
        public void configurePathMatch(PathMatchConfigurer paths) {
            PathPatternParser parser = new PathPatternParser();
            parser.setCaseSensitive(false);
            paths.setPatternParser(parser);
            paths.addPathPrefix("/moved", type -> true);
        }
    }

    @Test
    void configuredAndMovedPathsRequireAToken() {
        try (ApiNode moved = ApiNode.start(
                Moved.class, "delayqueue.http.api.base-path=/queue", "server.servlet.context-path=/app")) {
            for (String base : List.of("/app/moved/queue", "/app/MOVED/Queue")) {
                HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(moved.site() + base + "/receive"))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("{\"topics\": [\"t\"]}"));

                assertThat(moved.exchange(request).status()).as(base).isEqualTo(401);
                assertThat(moved.exchange(request.header("Authorization", "Bearer " + ApiNode.TOKEN))
                                .status())
                        .as(base)
                        .isEqualTo(200);
            }
            assertThat(moved.exchange(HttpRequest.newBuilder(URI.create(moved.site() + "/app/moved/queue/openapi.json"))
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
