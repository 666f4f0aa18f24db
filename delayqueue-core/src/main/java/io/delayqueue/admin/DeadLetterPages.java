package io.delayqueue.admin;

import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollRequest;
import java.time.Instant;
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
            DeadLetterCursor from = cursor.inShard(shard.index());
            List<DeadLetter> run = read(shard, from.page(length));
            merge.add(
                    run,
                    deadLetter -> place(shard, deadLetter),
                    hasMore(shard, from, run, length) ? place(shard, run.get(run.size() - 1)) : null);
        }
        Place last = merge.next();
        if (last == null) {
            return new DeadLetterPage(merge.items(), null);
        }
        boolean sameMoment = last.deadLetteredAt.equals(cursor.deadLetteredUntil()) && last.shard == cursor.shard();
        int seen = merge.countAt(last) + (sameMoment ? cursor.seen() : 0);
        return new DeadLetterPage(merge.items(), new DeadLetterCursor(last.deadLetteredAt, seen, last.shard).text());
    }

    private static Place place(Shard shard, DeadLetter deadLetter) {
        return new Place(deadLetter.deadLetteredAt(), shard.index());
    }

    /** A run that is shorter than requested may have reached the limit of bytes. */
    private boolean hasMore(Shard shard, DeadLetterCursor from, List<DeadLetter> run, int length) {
        List<Instant> times = run.stream().map(DeadLetter::deadLetteredAt).toList();
        return run.size() == length
                || (!run.isEmpty()
                        && !read(shard, from.after(times, times).page(1)).isEmpty());
    }

    List<DeadLetter> read(Shard shard, DeadLetterQuery query) {
        return Await.call(() -> store.deadLetters(shard, query));
    }
}
