package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.web.waiting.LongPolls;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ShutdownTests {

    @Test
    void waitEndsWhenTheApplicationEnds() {
        CompletableFuture<HttpResponse<String>> waiting;
        Instant begin;
        try (ApiNode node = ApiNode.start("spring.lifecycle.timeout-per-shutdown-phase=60s")) {
            waiting = node.client()
                    .sendAsync(
                            node.request("/receive")
                                    .header("Content-Type", "application/json")
                                    .POST(BodyPublishers.ofString("{\"topics\": [\"t\"], \"wait\": \"60s\"}"))
                                    .build(),
                            BodyHandlers.ofString());
            await().until(() -> node.bean(LongPolls.class).waiting() == 1);
            begin = Instant.now();
        }
        System.out.printf("The application ended in %s%n", Duration.between(begin, Instant.now()));

        assertThat(waiting.join().statusCode()).isEqualTo(200);
        assertThat(waiting.join().body()).isEqualTo("{\"messages\":[]}");
    }
}
