package io.delayqueue.autoconfigure;

import io.delayqueue.listener.DeadLetterSource;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.store.LetterQuery;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import java.util.Optional;

/** Gives dead-letter listeners their letters from the store. */
record StoredDeadLetters(MessageStore store, TopicRegistry registry) implements DeadLetterSource {

    @Override
    public Optional<DeadLetter> find(String topic, String letterId) {
        String messageId = letterId.substring(0, Math.max(0, letterId.lastIndexOf('@')));
        return registry.lookFor(topic, messageId, shard -> store.letters(shard, new LetterQuery.One(letterId)))
                .flatMap(letters -> letters.stream().findFirst());
    }
}
