package io.delayqueue.admin;

import io.delayqueue.admin.ShardMerge.Entry;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads a topic's dead letters in pages, youngest first over all shards. Thread-safe. */
record DeadLetterPages(MessageStore store) {

    /** Youngest first; dead letters of one millisecond are ordered by shard. */
    private static final Comparator<Place> ORDER =
            Comparator.comparing(Place::deadLetteredAt).reversed().thenComparingInt(Place::shard);

    private record Place(Instant deadLetteredAt, int shard) {}

    DeadLetterPage read(List<Shard> shards, DeadLetterCursor cursor, int count) {
        ShardMerge<Place, DeadLetter> merge = new ShardMerge<>(
                ORDER, deadLetter -> deadLetter.envelope().payload().length, count, PollRequest.MAX_BYTES);
        int length = ShardMerge.runLength(count, shards.size());
        for (Shard shard : shards) {
            merge.add(run(shard, cursor.in(shard.index()), length));
        }
        Place last = merge.next();
        if (last == null) {
            return new DeadLetterPage(merge.items(), null);
        }
        boolean sameMoment = last.deadLetteredAt.equals(cursor.deadLetteredUntil()) && last.shard == cursor.shard();
        int seen = merge.countAt(last) + (sameMoment ? cursor.seen() : 0);
        return new DeadLetterPage(merge.items(), new DeadLetterCursor(last.deadLetteredAt, seen, last.shard).text());
    }

    private List<Entry<Place, DeadLetter>> run(Shard shard, DeadLetterCursor from, int length) {
        List<DeadLetter> deadLetters = Await.call(() -> store.deadLetters(shard, from.page(length)));
        // a short run may have reached the limit of bytes
        boolean more = deadLetters.size() == length
                || (!deadLetters.isEmpty()
                        && !Await.call(() -> store.deadLetters(
                                        shard,
                                        from.behind(deadLetters, deadLetters).page(1)))
                                .isEmpty());
        List<Entry<Place, DeadLetter>> run = new ArrayList<>(deadLetters.size());
        for (int i = 0; i < deadLetters.size(); i++) {
            DeadLetter deadLetter = deadLetters.get(i);
            boolean isLast = i == deadLetters.size() - 1;
            run.add(new Entry<>(new Place(deadLetter.deadLetteredAt(), shard.index()), deadLetter, isLast && more));
        }
        return run;
    }
}
