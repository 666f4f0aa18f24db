package io.delayqueue.test;

import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Listing;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.ShardReader;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reschedules all messages of a shard to earlier due times. */
record DueTimes(MessageStore store, ShardReader reader) {

    /** Returns the number of moved messages. */
    long moveEarlier(Shard shard, Duration by) {
        // in this order, so that a message that becomes due meanwhile is found
        Map<String, Long> later = dueTimes(shard, MessageState.SCHEDULED);
        Map<String, Long> dueTimes = dueTimes(shard, MessageState.READY);
        later.forEach(dueTimes::putIfAbsent);
        return dueTimes.entrySet().stream()
                .filter(message -> isMoved(shard, message.getKey(), message.getValue() - by.toMillis()))
                .count();
    }

    private boolean isMoved(Shard shard, String id, long millis) {
        Due due = new Due(Math.max(0, millis), false);
        return Await.call(() -> store.reschedule(shard, id, due, Durability.NONE)) == RescheduleOutcome.RESCHEDULED;
    }

    private Map<String, Long> dueTimes(Shard shard, MessageState state) {
        Map<String, Long> dueTimes = new LinkedHashMap<>();
        Listing.@Nullable Place place = null;
        do {
            Listing.@Nullable Place after = place;
            Listing listing = Await.call(() -> reader.list(shard, state, after, ShardReader.MAX_LISTED));
            for (MessageSnapshot message : listing.messages()) {
                dueTimes.put(message.id(), message.dueAt().toEpochMilli());
            }
            place = listing.next();
        } while (place != null);
        return dueTimes;
    }
}
