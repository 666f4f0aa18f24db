package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.web.api.ApiNode.Reply;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each response has the id of its request. */
class RequestIdTests {

    private static final String UUIDS = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    private final ApiNode node = ApiNode.shared();

    @Test
    void eachRequestHasAnId() {
        List<Reply> replies = List.of(
                node.get("/openapi.json"),
                node.get("/nothing"),
                node.get("/topics/t/messages/1"),
                node.exchange(node.request("/topics").setHeader("Authorization", "none")),
                node.post("/topics", "{}"),
                node.receive("t", "{}"));

        assertThat(replies).extracting(Reply::status).containsExactly(200, 404, 404, 401, 405, 200);
        assertThat(replies)
                .extracting(reply -> reply.header(RequestId.HEADER))
                .doesNotHaveDuplicates()
                .allMatch(id -> id.matches(UUIDS));
        assertThat(replies.subList(1, 5))
                .allSatisfy(reply -> assertThat(reply.json().path("requestId").asString())
                        .isEqualTo(reply.header(RequestId.HEADER)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "8e03978e-40d5-43e8-bc93-6894a57f9324", "\"<%>\\\\", "LONGEST"})
    void idOfTheClientIsUsed(String written) {
        String id = written.replace("LONGEST", "i".repeat(128));

        Reply found = node.exchange(node.request("/topics/t/messages/1").header(RequestId.HEADER, id));
        Reply received = node.post("/receive", "{\"topics\": [\"t\"]}", RequestId.HEADER, id);

        assertThat(found.header(RequestId.HEADER)).isEqualTo(id);
        assertThat(found.json().path("requestId").asString()).isEqualTo(id);
        assertThat(received.header(RequestId.HEADER)).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "TOO_LONG"})
    void invalidIdIsReplaced(String written) {
        String id = written.replace("TOO_LONG", "i".repeat(129));

        Reply reply = node.exchange(node.request("/topics/t/messages/1").header(RequestId.HEADER, id));

        assertThat(reply.status()).isEqualTo(404);
        assertThat(reply.header(RequestId.HEADER)).matches(UUIDS);
    }
}
