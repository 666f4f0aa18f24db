package io.delayqueue.annotation;

import io.delayqueue.listener.DeadLetterHandler;
import io.delayqueue.listener.DeadLetterSource;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.message.DeadLetter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Loads the dead letter of a notification and passes it to the handler. The engine retries the notification after a
 * failure, or drops it after the last one.
 */
final class DeadLetterNotificationHandler implements DeliveryHandler {

    private final DeadLetterHandler handler;
    private final DeadLetterSource deadLetters;

    DeadLetterNotificationHandler(DeadLetterHandler handler, DeadLetterSource deadLetters) {
        this.handler = handler;
        this.deadLetters = deadLetters;
    }

    @Override
    public @Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws Exception {
        Delivery notification = deliveries.get(0);
        Optional<DeadLetter> deadLetter = deadLetters.find(notification.topic(), notification.id());
        return deadLetter.isEmpty() ? null : handler.handle(deadLetter.get(), notification);
    }
}
