package io.delayqueue.admin;

import io.delayqueue.admin.ShardMerge.Entry;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Listing;
import io.delayqueue.store.Listing.Place;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.script.ShardReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a topic's live messages in pages, in the order of a view over all shards. Thread-safe. */
record MessagePages(ShardReader reader) {

    /** The order of each shard: by time, then by the bytes of the id. */
    private static final Comparator<Place> ORDER = Comparator.comparingLong(Place::millis)
            .thenComparing(place -> place.id().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    /**
     * Reads a page. All shards have the same order, so that one place is a position in each of them.
     *
     * @param after the place after which the page begins; null for the beginning
     */
    MessagePage read(List<Shard> shards, MessageView view, @Nullable Place after, int count) {
        MessageState state = MessageState.valueOf(view.name());
        ShardMerge<Place, MessageSnapshot> merge =
                new ShardMerge<>(ORDER, message -> message.envelope().payload().length, count, PollRequest.MAX_BYTES);
        int length = ShardMerge.runLength(count, shards.size());
        for (Shard shard : shards) {
            merge.add(run(Await.call(() -> reader.list(shard, state, after, length))));
        }
        Place next = merge.next();
        return new MessagePage(merge.items(), next == null ? null : new MessageCursor(view, next).text());
    }

    private static List<Entry<Place, MessageSnapshot>> run(Listing listing) {
        List<Entry<Place, MessageSnapshot>> run = new ArrayList<>();
        listing.messages().forEach(message -> run.add(new Entry<>(place(message), message, false)));
        Place next = listing.next();
        if (next != null) {
            // the last place read may be that of a message that is not on the page
            run.add(new Entry<>(next, null, true));
        }
        return run;
    }

    private static Place place(MessageSnapshot message) {
        Instant leaseEnd = message.leaseEnd();
        Instant time = leaseEnd == null ? message.dueAt() : leaseEnd;
        return new Place(time.toEpochMilli(), message.id());
    }
}
