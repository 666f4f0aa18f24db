package io.delayqueue.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DependencyUnavailableException;
import io.delayqueue.testing.HostileException;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ForwardingHandlerTests {

    private static final Route ROUTE = new Route("orders", "kafka", "due-orders", null, false, Duration.ofSeconds(30));

    private SendDeadlines deadlines = new SendDeadlines(System::nanoTime);

    @Test
    void deliveryIsHandledWhenTheBrokerHasConfirmed() {
        CompletableFuture<Void> confirmed = new CompletableFuture<>();

        CompletableFuture<?> handled = handle(Map.of(), message -> confirmed);
        assertThat(handled).isNotDone();
        confirmed.complete(null);
        assertThat(handled).isCompleted();
    }

    @Test
    void sendIsCancelledAfterItsTimeout() {
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        AtomicLong now = new AtomicLong();
        deadlines = new SendDeadlines(now::get);

        CompletableFuture<?> handled = handle(Map.of(), message -> confirmed);
        now.addAndGet(ROUTE.sendTimeout().toNanos());
        deadlines.run();

        assertThat(confirmed).isCancelled();
        assertThatThrownBy(handled::join).hasMessageContaining("was not confirmed within 30 s");
    }

    @Test
    void exceptionWithoutAMessageFailsTheDelivery() {
        HostileException hostile = new HostileException(() -> new IOException("thrown past the compiler"));

        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        CompletableFuture<?> handled = handle(Map.of(), message -> confirmed);
        confirmed.completeExceptionally(hostile);
        assertThatThrownBy(handled::join).hasMessageContaining("failed: " + HostileException.class.getName());

        assertThatThrownBy(handle(Map.of(), message -> {
                    throw hostile;
                })::join)
                .hasMessageContaining("failed: " + HostileException.class.getName());
    }

    @Test
    void mappersAreCalledInOrder() {
        ForwardMapper first = (mapped, delivery, route) ->
                mapped.toBuilder().destination(mapped.destination() + "-1").build();
        ForwardMapper second = (mapped, delivery, route) -> mapped.toBuilder()
                .destination(mapped.destination() + "-2")
                .header("tenant", route.topic())
                .header("secret", null)
                .build();

        ForwardedMessage message = sent(Map.of("secret", "x"), first, second);

        assertThat(message.destination()).isEqualTo("due-orders-1-2");
        assertThat(message.headers()).containsEntry("tenant", "orders").doesNotContainKey("secret");
    }

    @Test
    void contentTypeComesFromTheMessage() {
        ForwardedMessage message = sent(Map.of("Content-Type", "text/plain"));

        assertThat(message.contentType()).isEqualTo("text/plain");
        assertThat(message.headers()).doesNotContainKey("Content-Type");
    }

    @Test
    void standardHeadersReplaceHeadersOfTheMessage() {
        ForwardedMessage message = sent(Map.of("delayqueue_id", "forged", "keys", " "));

        assertThat(message.headers())
                .containsEntry("delayqueue_id", "order-1")
                .containsEntry("delayqueue_attempt", "2")
                .containsEntry("delayqueue_due", "2026-11-22T00:00:00Z");
        assertThat(message.key()).isEqualTo("order-1");
    }

    @Test
    void failureNamesDestinationAndCause() {
        CompletableFuture<Void> rejected = CompletableFuture.failedFuture(
                new CompletionException(new IllegalStateException("outer", new IOException("disk full"))));

        assertThatThrownBy(handle(Map.of(), message -> rejected)::join)
                .cause()
                .isInstanceOf(ForwardException.class)
                .hasMessage("Forwarding to 'due-orders' by kafka failed: java.io.IOException: disk full")
                .hasRootCauseInstanceOf(IOException.class);
    }

    @Test
    void exceptionOfTheForwarderFailsTheDelivery() {
        assertThatThrownBy(handle(Map.of(), message -> {
                    throw new IOException("rejected");
                })::join)
                .cause()
                .hasMessageEndingWith("by kafka failed: java.io.IOException: rejected");
    }

    @Test
    void failureOfTheConnectionMeansThatTheBrokerIsUnavailable() {
        CompletableFuture<Void> refused = CompletableFuture.failedFuture(
                new CompletionException(new IllegalStateException("outer", new ConnectException("refused"))));

        assertThatThrownBy(handle(Map.of(), message -> refused)::join)
                .cause()
                .isInstanceOf(DependencyUnavailableException.class)
                .hasMessage("Forwarding to 'due-orders' by kafka failed: java.net.ConnectException: refused");
    }

    @Test
    void mapperMustNotReturnNull() {
        assertThatThrownBy(() -> sent(Map.of(), (mapped, delivery, route) -> null))
                .hasMessage("A ForwardMapper returned null");
    }

    private ForwardedMessage sent(Map<String, String> headers, ForwardMapper... mappers) {
        AtomicReference<ForwardedMessage> sent = new AtomicReference<>();
        handle(
                        headers,
                        message -> {
                            sent.set(message);
                            return CompletableFuture.completedFuture(null);
                        },
                        mappers)
                .join();
        return sent.get();
    }

    private CompletableFuture<?> handle(Map<String, String> headers, Forwarder forwarder, ForwardMapper... mappers) {
        Delivery delivery = mock();
        given(delivery.id()).willReturn("order-1");
        given(delivery.topic()).willReturn("orders");
        given(delivery.attempt()).willReturn(2);
        given(delivery.dueAt()).willReturn(Instant.parse("2026-11-22T00:00:00Z"));
        given(delivery.sentAt()).willReturn(Instant.parse("2026-11-21T23:00:00Z"));
        given(delivery.headers()).willReturn(headers);
        given(delivery.body()).willReturn(new byte[0]);
        Broker broker = mock();
        given(broker.open(ROUTE)).willReturn(forwarder);
        return new ForwardingHandler(ROUTE, broker, List.of(mappers), deadlines)
                .handle(delivery)
                .toCompletableFuture();
    }
}
