package io.delayqueue.autoconfigure;

import io.delayqueue.listener.DeadLetterSource;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.redis.Await;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import java.util.Optional;

/** Reads the dead letters of dead-letter notifications from the store. */
record StoredDeadLetters(MessageStore store, TopicRegistry registry) implements DeadLetterSource {

    @Override
    public Optional<DeadLetter> find(String topic, String deadLetterId) {
        String messageId = deadLetterId.substring(0, Math.max(0, deadLetterId.lastIndexOf('@')));
        return Await.call(() -> registry.withShard(
                        topic, messageId, shard -> store.deadLetters(shard, new DeadLetterQuery.One(deadLetterId))))
                .flatMap(deadLetters -> deadLetters.stream().findFirst());
    }
}
