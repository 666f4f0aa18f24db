package io.delayqueue.forward.rabbit;

import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.delayqueue.forward.ForwardException;
import io.delayqueue.listener.DependencyUnavailableException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** The unconfirmed messages of a channel, by their publish sequence numbers. Thread-safe. */
final class Unconfirmed {

    private final ConcurrentSkipListMap<Long, Message> messages = new ConcurrentSkipListMap<>();

    /** A published message. */
    record Message(
            String exchange, String routingKey, @Nullable String id, CompletableFuture<Void> confirmed) {

        /**
         * Compares messages by content, since a return has no sequence number. Of two equal messages, RabbitMQ returns
         * both or none.
         */
        private boolean is(Return returned) {
            return exchange.equals(returned.getExchange())
                    && routingKey.equals(returned.getRoutingKey())
                    && Objects.equals(id, returned.getProperties().getMessageId());
        }
    }

    /** Adds a message. It is removed when it is confirmed, has failed, or its future is cancelled. */
    Message add(long number, String exchange, String routingKey, @Nullable String id) {
        Message message = new Message(exchange, routingKey, id, new CompletableFuture<>());
        messages.put(number, message);
        message.confirmed().whenComplete((nothing, failure) -> remove(number));
        return message;
    }

    void remove(long number) {
        messages.remove(number);
    }

    int size() {
        return messages.size();
    }

    /** RabbitMQ also confirms a returned message afterwards. That confirm is ignored. */
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

    void rejected(long number, boolean andAllBefore) {
        settle(
                number,
                andAllBefore,
                new DependencyUnavailableException("RabbitMQ rejected it, for example because a queue is full"));
    }

    private void settle(long number, boolean andAllBefore, @Nullable RuntimeException failure) {
        Set<Long> settled = andAllBefore ? messages.headMap(number, true).keySet() : Set.of(number);
        settled.forEach(each -> end(messages.remove(each), failure));
    }

    /** Fails all messages. Their outcome is unknown. */
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
