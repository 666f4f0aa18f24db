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

/** Turns notices of deaths into letters. What fails is judged by the engine, which retries the notice or drops it. */
final class DeathNoticeHandler implements DeliveryHandler {

    private final DeadLetterHandler handler;
    private final DeadLetterSource letters;

    DeathNoticeHandler(DeadLetterHandler handler, DeadLetterSource letters) {
        this.handler = handler;
        this.letters = letters;
    }

    @Override
    public @Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws Exception {
        Delivery notice = deliveries.get(0);
        Optional<DeadLetter> letter = letters.find(notice.topic(), notice.id());
        return letter.isEmpty() ? null : handler.handle(letter.get(), notice);
    }
}
