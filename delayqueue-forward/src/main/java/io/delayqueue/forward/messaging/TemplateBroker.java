package io.delayqueue.forward.messaging;

import io.delayqueue.forward.Broker;
import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import io.delayqueue.message.InvalidOptionException;
import java.util.concurrent.CompletableFuture;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.core.DestinationResolvingMessageSendingOperations;
import org.springframework.messaging.core.MessageSendingOperations;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Forwards through a Spring messaging template. A message counts as confirmed when the template's {@code send} returns;
 * the guarantee is that of the template. Thread-safe.
 */
public final class TemplateBroker implements Broker {

    /** Header from which RocketMQ's template takes keys. */
    private static final String KEYS = "KEYS";

    private final MessageSendingOperations<?> template;

    /** Creates a broker that sends with a template. */
    public TemplateBroker(MessageSendingOperations<?> template) {
        this.template = template;
    }

    @Override
    public Forwarder open(Route route) {
        route.requireDestination("a destination of the template");
        route.rejectRoutingKey();
        route.rejectPubSub();
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
            throw new InvalidOptionException(
                    "to",
                    "names a " + template.getClass().getName() + ", whose destinations are no names but of type "
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

    /** Closes nothing, since the template belongs to the application. */
    @Override
    public void close() {}
}
