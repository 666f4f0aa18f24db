package io.delayqueue.admin;

import io.delayqueue.admin.ShardMerge.Entry;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Shard;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.StepRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads a topic's letters in pages, youngest first over all shards. Thread-safe. */
record LetterPages(MessageStore store) {

    /** Letters of one millisecond stand in the order of their shards. */
    private static final Comparator<Place> ORDER =
            Comparator.comparing(Place::diedAt).reversed().thenComparingInt(Place::shard);

    private record Place(Instant diedAt, int shard) {}

    LetterPage read(List<Shard> shards, LetterCursor cursor, int count) {
        ShardMerge<Place, DeadLetter> merge =
                new ShardMerge<>(ORDER, letter -> letter.envelope().payload().length, count, StepRequest.MAX_BYTES);
        int length = ShardMerge.runLength(count, shards.size());
        for (Shard shard : shards) {
            merge.add(run(shard, cursor.in(shard.index()), length));
        }
        Place last = merge.next();
        if (last == null) {
            return new LetterPage(merge.items(), null);
        }
        boolean sameMoment = last.diedAt.equals(cursor.diedUntil()) && last.shard == cursor.shard();
        int seen = merge.countAt(last) + (sameMoment ? cursor.seen() : 0);
        return new LetterPage(merge.items(), new LetterCursor(last.diedAt, seen, last.shard).text());
    }

    private List<Entry<Place, DeadLetter>> run(Shard shard, LetterCursor from, int length) {
        List<DeadLetter> letters = store.letters(shard, from.page(length));
        // a short run may have ended at its bytes
        boolean more = letters.size() == length
                || (!letters.isEmpty()
                        && !store.letters(shard, from.behind(letters, letters).page(1))
                                .isEmpty());
        List<Entry<Place, DeadLetter>> run = new ArrayList<>(letters.size());
        for (int i = 0; i < letters.size(); i++) {
            DeadLetter letter = letters.get(i);
            boolean isLast = i == letters.size() - 1;
            run.add(new Entry<>(new Place(letter.diedAt(), shard.index()), letter, isLast && more));
        }
        return run;
    }
}
