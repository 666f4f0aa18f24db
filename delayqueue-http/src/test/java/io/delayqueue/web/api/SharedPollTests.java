package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.template.receive.Receipt;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Two clients that are served by one poll. */
class SharedPollTests {

    private final ApiNode node = ApiNode.shared();
    private final String topic = "shared-" + UUID.randomUUID();

    @Test
    void aClientCannotSettleTheMessageOfAnotherWithItsOwnReceipt() {
        List<CompletableFuture<JsonNode>> clients = Stream.of("one", "two")
                .map(client -> CompletableFuture.supplyAsync(() -> node.post(
                                "/receive",
                                ApiNode.receiving(topic, "{\"count\": 1, \"wait\": \"50s\", \"lease\": \"1h\"}"))
                        .json()))
                .toList();
        node.post(
                "/topics/" + topic + "/messages/batch",
                "{\"messages\": [{\"id\": \"a\", \"payload\": 1}, {\"id\": \"b\", \"payload\": 1}]}");
        List<Receipt> receipts = clients.stream()
                .map(client -> client.join().path("messages").get(0))
                .map(message -> Receipt.parse(ApiNode.receipt(message)))
                .toList();
        assertThat(receipts).extracting(Receipt::id).containsExactlyInAnyOrder("a", "b");

        for (int i = 0; i < 2; i++) {
            String others = receipts.get(1 - i).id();
            assertThat(settle(new Receipt(topic, others, receipts.get(i).delivery())))
                    .isEqualTo(410);
        }
        assertThat(receipts).allSatisfy(own -> assertThat(settle(own)).isEqualTo(204));
    }

    private int settle(Receipt receipt) {
        return node.post("/leases/" + receipt + "/acknowledge", "").status();
    }
}
