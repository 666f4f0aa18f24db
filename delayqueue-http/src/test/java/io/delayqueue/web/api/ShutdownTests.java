package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.waiting.LongPolls;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ShutdownTests {

    @Test
    void waitsEndWhenTheApplicationEnds() throws Exception {
        CompletableFuture<Reply> receive;
        CompletableFuture<Reply> pop;
        try (ApiNode node = ApiNode.start(
                "spring.lifecycle.timeout-per-shutdown-phase=10m",
                "delayqueue.http.api.max-wait=1h",
                "delayqueue.http.compat.enabled=true",
                "delayqueue.http.compat.base-path=/jobs",
                "delayqueue.http.compat.max-wait=1h")) {
            receive = node.postAsync("/receive", ApiNode.receiving("t", "{\"wait\": \"1h\"}"));
            pop = node.exchangeAsync(HttpRequest.newBuilder(URI.create(node.site() + ApiNode.JOBS + "/pop"))
                    .header("Authorization", "Bearer " + ApiNode.TOKEN)
                    .POST(BodyPublishers.ofString("{\"topic\": \"t\"}")));
            await().until(() -> node.bean(LongPolls.class).waiting() == 2);
        }

        assertThat(receive.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
        assertThat(receive.join().text()).isEqualTo("{\"messages\":[]}");
        assertThat(pop.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
        assertThat(pop.join().text()).isEqualTo("{\"code\":0,\"message\":\"操作成功\",\"data\":null}");
    }
}
