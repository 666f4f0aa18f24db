package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.delayqueue.forward.ForwardException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** The messages of one channel that RabbitMQ hasn't confirmed yet, by their numbers. Thread-safe. */
final class Unconfirmed {

    private final ConcurrentSkipListMap<Long, Message> messages = new ConcurrentSkipListMap<>();

    /** A message that was published. */
    record Message(
            String exchange, String routingKey, @Nullable String id, CompletableFuture<Void> confirmed) {

        /** A return names no number. Of two that are alike, both come back or none. */
        private boolean is(Return returned) {
            return exchange.equals(returned.getExchange())
                    && routingKey.equals(returned.getRoutingKey())
                    && Objects.equals(id, returned.getProperties().getMessageId());
        }
    }

    /** Adds a message, which is kept until it is confirmed, has failed or is given up by cancelling its future. */
    Message add(long number, String exchange, String routingKey, @Nullable String id) {
        Message message = new Message(exchange, routingKey, id, new CompletableFuture<>());
        messages.put(number, message);
        CompletableFuture<Void> unused = message.confirmed().whenComplete((nothing, failure) -> remove(number));
        return message;
    }

    void remove(long number) {
        messages.remove(number);
    }

    int size() {
        return messages.size();
    }

    /** What is returned is confirmed afterwards, which says nothing any more. */
    void returned(Return returned) {
        ForwardException failure = new ForwardException("RabbitMQ returned it: " + returned.getReplyCode() + " "
                + returned.getReplyText() + ", since no queue is bound to exchange '" + returned.getExchange()
                + "' for routing key '" + returned.getRoutingKey() + "'");
        messages.values().stream()
                .filter(message -> message.is(returned))
                .forEach(message -> message.confirmed().completeExceptionally(failure));
    }

    void acknowledged(long number, boolean andAllBefore) {
        settle(number, andAllBefore, null);
    }

    void refused(long number, boolean andAllBefore) {
        settle(number, andAllBefore, new ForwardException("RabbitMQ did not take it, as when a queue is full"));
    }

    private void settle(long number, boolean andAllBefore, @Nullable ForwardException failure) {
        if (andAllBefore) {
            Map<Long, Message> before = messages.headMap(number, true);
            before.keySet().forEach(each -> end(messages.remove(each), failure));
        } else {
            end(messages.remove(number), failure);
        }
    }

    /** Nobody knows of any of them. */
    void lost(ShutdownSignalException cause) {
        messages.keySet().forEach(each -> end(messages.remove(each), cause));
    }

    private static void end(@Nullable Message message, @Nullable Throwable failure) {
        if (message == null) {
            return;
        }
        if (failure == null) {
            message.confirmed().complete(null);
        } else {
            message.confirmed().completeExceptionally(failure);
        }
    }
}
