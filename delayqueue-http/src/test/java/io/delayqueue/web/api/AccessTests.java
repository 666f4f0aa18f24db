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

/** Permissions of tokens. */
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
        "POST,   /topics/t/messages,                        PRODUCE",
        "POST,   /topics/t/messages/batch,                  PRODUCE",
        "GET,    /topics/t/messages/a,                      ANY",
        "DELETE, /topics/t/messages/a,                      PRODUCE",
        "POST,   /topics/t/messages/a/reschedule,           PRODUCE",
        "POST,   /receive,                                  CONSUME",
        "POST,   /settle,                                   CONSUME",
        "POST,   /leases/x/acknowledge,                     CONSUME",
        "POST,   /leases/x/retry,                           CONSUME",
        "POST,   /leases/x/dead-letter,                     CONSUME",
        "POST,   /leases/x/extend,                          CONSUME",
        "POST,   /leases/x/release,                         CONSUME",
        "POST,   /leases/x/postpone,                        CONSUME",
        "GET,    /topics,                                   ADMIN",
        "GET,    /topics/t/dead-letters,                    ADMIN",
        "GET,    /topics/t/dead-letters/a,                  ADMIN",
        "DELETE, /topics/t/dead-letters/a,                  ADMIN",
        "POST,   /topics/t/dead-letters/a/replay,           ADMIN",
        "POST,   /topics/t/jobs,                            ADMIN",
        "POST,   /topics/t/jobs/preview,                    ADMIN",
        "GET,    /jobs,                                     ADMIN",
        "DELETE, /jobs/a,                                   ADMIN",
        "GET,    /openapi.json,                             ANY",
        "GET,    /nothing,                                  ANY",
        "PUT,    /topics/t/messages,                        ANY",
        "OPTIONS, /topics/t/messages,                       ANY",
        "OPTIONS, /topics/t/jobs,                           ANY"
    })
    void tokenPermitsTheOperationsOfItsRole(String method, String path, String required) {
        for (String token : List.of(ApiNode.PRODUCER, ApiNode.CONSUMER, ApiNode.TOKEN)) {
            boolean good = token.equals(ApiNode.TOKEN)
                    || required.equals("ANY")
                    || required.equals(token.equals(ApiNode.PRODUCER) ? "PRODUCE" : "CONSUME");
            Reply reply = ask(method, path, token);
            if (good) {
                assertThat(reply.status()).as(token).isNotIn(401, 403);
            } else {
                assertThat(reply.status()).as(token).isEqualTo(403);
                assertThat(reply.problem()).isEqualTo("forbidden");
            }
        }
        for (String token : new String[] {null, "another-token-than-these"}) {
            Reply reply = ask(method, path, token);
            assertThat(reply.status()).isEqualTo(401);
            assertThat(reply.problem()).isEqualTo("unauthorized");
            assertThat(reply.header("WWW-Authenticate")).isEqualTo("Bearer realm=\"delayqueue\"");
        }
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
    void movedControllersRequireAToken() {
        try (ApiNode moved = ApiNode.start(Moved.class)) {
            for (String base : List.of("/moved/delayqueue/v1", "/MOVED/DelayQueue/V1")) {
                HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(moved.site() + base + "/receive"))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("{\"topics\": [\"t\"]}"));

                assertThat(moved.exchange(request).status()).as(base).isEqualTo(401);
                assertThat(moved.exchange(request.header("Authorization", "Bearer " + ApiNode.TOKEN))
                                .status())
                        .as(base)
                        .isEqualTo(200);
            }
        }
    }
}
