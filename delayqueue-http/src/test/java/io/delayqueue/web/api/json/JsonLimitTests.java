package io.delayqueue.web.api.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.delayqueue.web.api.request.ApiRequest;
import io.delayqueue.web.api.request.SendAllRequest;
import io.delayqueue.web.api.request.SendRequest;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory that a body needs is bounded before its fields are checked. */
class JsonLimitTests {

    private static final int MANY = 1_000_000;
    private static final int ALLOWED_PER_BYTE = 40;

    @ParameterizedTest
    @ValueSource(strings = {"0", "{}", "[]", "\"\""})
    void listIsReadUpToTheLimit(String element) {
        String body = "{\"messages\": [" + (element + ",").repeat(MANY) + element + "]}";

        rejected(SendAllRequest.class, body, "more than 30000 fields, headers and list elements");
    }

    @Test
    void objectIsReadUpToTheLimit() {
        rejected(SendRequest.class, "{" + manyFields() + "}", "The body has more than 30000 fields");
        rejected(SendRequest.class, "{\"payload\": 1, \"headers\": {" + manyFields() + "}}", "more than 30000 fields");
    }

    @Test
    void fieldsOfAllMessagesCountTogether() {
        String headers =
                IntStream.range(0, 1000).mapToObj(i -> "\"" + i + "\":\"\"").collect(Collectors.joining(","));
        String message = "{\"payload\": 1, \"headers\": {" + headers + "}}";
        String body = "{\"messages\": [" + (message + ",").repeat(199) + message + "]}";

        rejected(SendAllRequest.class, body, "more than 30000 fields, headers and list elements outside of payloads");
    }

    @Test
    void partsOfPayloadsDoNotCount() {
        String payload = "[" + "0,".repeat(MANY) + "0]";
        ApiRequest read = read(SendRequest.class, "{\"payload\": " + payload + "}");

        assertThat(new String(((SendRequest) read).body(), StandardCharsets.UTF_8))
                .isEqualTo(payload);
    }

    private static String manyFields() {
        return IntStream.range(0, MANY / 5).mapToObj(i -> "\"" + i + "\":\"\"").collect(Collectors.joining(","));
    }

    private static ApiRequest read(Class<? extends ApiRequest> type, String body) {
        return Json.read(body.getBytes(StandardCharsets.UTF_8), type);
    }

    private static void rejected(Class<? extends ApiRequest> type, String body, String sentence) {
        ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = memory.getCurrentThreadAllocatedBytes();
        assertThatThrownBy(() -> read(type, body))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining(sentence);
        assertThat(memory.getCurrentThreadAllocatedBytes() - before)
                .isLessThan((long) ALLOWED_PER_BYTE * body.length());
    }
}
