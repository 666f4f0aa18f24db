package io.delayqueue.forward.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Route;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.core.AbstractDestinationResolvingMessagingTemplate;
import org.springframework.messaging.core.AbstractMessageSendingTemplate;

class TemplateBrokerTests {

    private static final Route ROUTE = new Route("orders", "rocket", "due:vip", null, false, Duration.ofSeconds(30));

    @Test
    void messageIsSentToTheDestination() throws Exception {
        Named template = new Named();
        byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
        ForwardedMessage message = ForwardedMessage.of("order-1", "due:vip", body)
                .key("customer-7")
                .header("tags", "vip")
                .build();

        assertThat(new TemplateBroker(template).open(ROUTE).forward(message).toCompletableFuture())
                .isCompleted();

        assertThat(template.destinations).containsExactly("due:vip");
        Message<?> sent = template.sent.get(0);
        assertThat(sent.getPayload()).isSameAs(body);
        assertThat(sent.getHeaders())
                .containsAllEntriesOf(
                        Map.of("tags", "vip", "KEYS", "customer-7", MessageHeaders.CONTENT_TYPE, "application/json"));
    }

    @Test
    void templateResolvesTheNameOfTheDestination() throws Exception {
        Resolving template = new Resolving();
        ForwardedMessage message =
                ForwardedMessage.of("order-1", "7", new byte[] {1}).build();

        assertThat(new TemplateBroker(template).open(ROUTE).forward(message).toCompletableFuture())
                .isCompleted();

        assertThat(template.destinations).containsExactly(7);
    }

    @Test
    void templateWithoutNamedDestinationsIsRejected() {
        assertThatThrownBy(() -> new TemplateBroker(new Numbered()).open(ROUTE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("to names a " + Numbered.class.getName())
                .hasMessageEndingWith("of type java.lang.Integer");
    }

    private static final class Named extends AbstractMessageSendingTemplate<String> {

        private final List<String> destinations = new ArrayList<>();
        private final List<Message<?>> sent = new ArrayList<>();

        @Override
        protected void doSend(String destination, Message<?> message) {
            destinations.add(destination);
            sent.add(message);
        }
    }

    /** As Spring's own templates for RabbitMQ and JMS do. */
    private static final class Resolving extends AbstractDestinationResolvingMessagingTemplate<Integer> {

        private final List<Integer> destinations = new ArrayList<>();

        Resolving() {
            setDestinationResolver(Integer::valueOf);
        }

        @Override
        protected void doSend(Integer destination, Message<?> message) {
            destinations.add(destination);
        }

        @Override
        protected @Nullable Message<?> doReceive(Integer destination) {
            return null;
        }

        @Override
        protected @Nullable Message<?> doSendAndReceive(Integer destination, Message<?> message) {
            return null;
        }
    }

    private static final class Numbered extends AbstractMessageSendingTemplate<Integer> {

        @Override
        protected void doSend(Integer destination, Message<?> message) {}
    }
}
