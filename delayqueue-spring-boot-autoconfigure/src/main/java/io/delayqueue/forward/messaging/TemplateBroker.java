package io.delayqueue.forward.messaging;

import io.delayqueue.forward.Broker;
import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import java.util.concurrent.CompletableFuture;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.core.DestinationResolvingMessageSendingOperations;
import org.springframework.messaging.core.MessageSendingOperations;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Forwards by one of Spring's messaging templates. A message counts as confirmed when the template's {@code send} returns:
 * what that means is the template's word. Thread-safe.
 */
public final class TemplateBroker implements Broker {

    /** Where RocketMQ's template looks for keys. */
    private static final String KEYS = "KEYS";

    private final MessageSendingOperations<?> template;

    /** By a template. */
    public TemplateBroker(MessageSendingOperations<?> template) {
        this.template = template;
    }

    @Override
    public Forwarder open(Route route) {
        route.requireDestination("a destination of the template");
        route.refuseRoutingKey();
        route.refusePubSub();
        if (template instanceof DestinationResolvingMessageSendingOperations<?> resolving) {
            return message -> {
                resolving.send(message.destination(), asMessage(message));
                return CompletableFuture.completedFuture(null);
            };
        }
        MessageSendingOperations<String> named = byName();
        return message -> {
            named.send(message.destination(), asMessage(message));
            return CompletableFuture.completedFuture(null);
        };
    }

    @SuppressWarnings("unchecked")
    private MessageSendingOperations<String> byName() {
        Class<?> destination = ResolvableType.forClass(MessageSendingOperations.class, template.getClass())
                .getGeneric(0)
                .resolve();
        if (destination != null && !destination.isAssignableFrom(String.class)) {
            throw new IllegalArgumentException(
                    "to names a " + template.getClass().getName() + ", whose destinations are no names but of type "
                            + destination.getName());
        }
        return (MessageSendingOperations<String>) template;
    }

    private static Message<byte[]> asMessage(ForwardedMessage message) {
        return MessageBuilder.withPayload(message.body())
                .copyHeaders(message.headers())
                .setHeader(KEYS, message.key())
                .setHeader(MessageHeaders.CONTENT_TYPE, message.contentType())
                .build();
    }

    /** The template is the application's. */
    @Override
    public void close() {}
}
