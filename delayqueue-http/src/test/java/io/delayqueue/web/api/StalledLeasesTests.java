package io.delayqueue.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.template.receive.Leases;
import io.delayqueue.template.receive.Receipt;
import io.delayqueue.web.api.ApiNode.Reply;
import io.delayqueue.web.api.request.SettleAction;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.JsonNode;

/** Settlements whose calls of Redis fail or do not end. The id of a message says how its settlement ends. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class StalledLeasesTests {

    private ApiNode node;

    @BeforeAll
    void start() {
        node = ApiNode.start(Stalled.class);
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private static String receipt(String id) {
        return new Receipt("t", id, "1").toString();
    }

    private Reply settle(String... ids) {
        return node.post("/settle", settlements(ids));
    }

    private static String settlements(String... ids) {
        return Arrays.stream(ids)
                .map(id -> "{\"receipt\": \"" + receipt(id) + "\", \"action\": \"acknowledge\"}")
                .collect(Collectors.joining(", ", "{\"settlements\": [", "]}"));
    }

    @Test
    void timedOutSettlementIsNotKept() {
        StalledLeases leases = new StalledLeases();
        MessageSettling settling = new MessageSettling(leases.proxy(), Duration.ofMillis(1));

        for (int i = 1; i <= 2; i++) {
            Receipt receipt = new Receipt("t", "stalled", "1");
            assertThat(settling.one(receipt, SettleAction.ACKNOWLEDGE, null, null, null)
                            .join()
                            .failure())
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            failure -> assertThat(failure.problem().status()).isEqualTo(504));
            assertThat(leases.asked).hasSize(i);
        }

        assertThat(leases.asked).allMatch(CompletableFuture::isDone);
        assertThat(leases.settling).isNotDone();
    }

    @Test
    void eachSettlementHasItsOwnResult() {
        Reply reply = settle("settled", "lost", "unknown", "unavailable", "unconfirmed", "failed");

        assertThat(reply.status()).isEqualTo(200);
        List<JsonNode> results = reply.json().path("results").valueStream().toList();
        assertThat(results.stream().map(each -> each.path("id").asString()))
                .containsExactly("settled", "lost", "unknown", "unavailable", "unconfirmed", "failed");
        assertThat(results.stream().map(each -> each.path("outcome").asString()))
                .containsExactly(
                        "settled", "lease-lost", "outcome-unknown", "unavailable", "outcome-unknown", "failed");
        assertThat(results.get(0).has("reason")).isFalse();
        assertThat(results.stream().skip(1))
                .allSatisfy(each -> assertThat(each.path("reason").asString()).isNotEmpty());
    }

    @Test
    void requestFailsIfNoSettlementHasACertainResult() {
        Reply unavailable = settle("unavailable", "unavailable");
        Reply unknown = settle("unavailable", "unknown");

        assertThat(unavailable.status()).isEqualTo(503);
        assertThat(unavailable.problem()).isEqualTo("unavailable");
        assertThat(unavailable.header("Retry-After")).isEqualTo("1");
        assertThat(unknown.status()).isEqualTo(504);
        assertThat(unknown.problem()).isEqualTo("outcome-unknown");
        assertThat(unknown.header("Retry-After")).isEqualTo("1");
    }

    /** A repeat would not help. The result has the remedy. */
    @Test
    void conflictAboutATopicIsAResult() {
        Reply reply = settle("conflict");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.text()).contains("\"outcome\":\"unavailable\"", "of a later version");
    }

    @Test
    void receivedMessagesAreReturnedWithTheResults() {
        node.template().send("received", "x");

        JsonNode reply = node.receive("received", settlements("unknown")).json();

        assertThat(reply.path("messages")).hasSize(1);
        assertThat(reply.path("results").get(0).path("outcome").asString()).isEqualTo("outcome-unknown");
    }

    @Test
    void logOfAFailureHasTheIdOfTheRequest(CapturedOutput output) {
        Reply single = node.post("/leases/" + receipt("failed") + "/acknowledge", "", RequestId.HEADER, "single-4711");
        Reply batch = node.post("/settle", settlements("failed"), RequestId.HEADER, "batch-4711");

        assertThat(single.status()).isEqualTo(500);
        assertThat(single.json().path("requestId").asString()).isEqualTo("single-4711");
        assertThat(batch.status()).isEqualTo(200);
        assertThat(output)
                .contains("Request single-4711 to the HTTP API of the delay queue failed")
                .contains("Request batch-4711 to the HTTP API of the delay queue failed")
                .contains("for the test");
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Stalled extends ApiApplication {

        @Bean
        Leases leases() {
            return new StalledLeases().proxy();
        }

        /** With a timeout that no test awaits. */
        @Bean
        MessageSettling settling(Leases leases) {
            return new MessageSettling(leases, Duration.ofHours(1));
        }
    }

    /** Acknowledgements that end as the id of the message says. */
    private static final class StalledLeases {

        private final CompletableFuture<Boolean> settling = new CompletableFuture<>();
        private final Queue<CompletableFuture<Boolean>> asked = new ConcurrentLinkedQueue<>();

        Leases proxy() {
            return (Leases)
                    Proxy.newProxyInstance(Leases.class.getClassLoader(), new Class<?>[] {Leases.class}, this::call);
        }

        @SuppressWarnings("unchecked")
        private @Nullable Object call(Object proxy, Method method, Object[] arguments) {
            switch (method.getName()) {
                case "together" -> {
                    ((Consumer<Leases>) arguments[0]).accept((Leases) proxy);
                    return null;
                }
                case "acknowledge" -> {
                    return acknowledge(Objects.requireNonNull(Receipt.parse((String) arguments[0]))
                            .id());
                }
                default -> throw new UnsupportedOperationException(method.getName());
            }
        }

        private CompletableFuture<Boolean> acknowledge(String id) {
            return switch (id) {
                case "settled" -> CompletableFuture.completedFuture(true);
                case "lost" -> CompletableFuture.completedFuture(false);
                case "unavailable" -> failed(RedisCallException.Kind.NOT_SENT);
                case "unknown" -> CompletableFuture.failedFuture(new TimeoutException());
                case "unconfirmed" -> failed(RedisCallException.Kind.NOT_CONFIRMED);
                case "conflict" ->
                    CompletableFuture.failedFuture(new TopicConflictException("registered as of a later version"));
                case "failed" -> throw new IllegalStateException("for the test");
                default -> {
                    CompletableFuture<Boolean> copy = settling.copy();
                    asked.add(copy);
                    yield copy;
                }
            };
        }

        private static CompletableFuture<Boolean> failed(RedisCallException.Kind kind) {
            return CompletableFuture.failedFuture(new RedisCallException(kind, "for the test", null));
        }
    }
}
