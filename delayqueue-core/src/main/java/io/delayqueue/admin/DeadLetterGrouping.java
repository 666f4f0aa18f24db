package io.delayqueue.admin;

import io.delayqueue.message.DeadLetterKind;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.DeadLetterEntry;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.script.ShardReader;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Groups a topic's dead letters by kind. Not thread-safe. */
final class DeadLetterGrouping {

    private final Map<DeadLetterKind, DeadLetterGroup> groups = new LinkedHashMap<>();
    private long counted;

    private DeadLetterGrouping() {}

    /** Counts those of the youngest dead letters that match a filter. */
    static long count(ShardReader reader, List<Shard> shards, int count, DeadLetterFilter filter) {
        return read(reader, shards, count, filter).groups().stream()
                .mapToLong(DeadLetterGroup::count)
                .sum();
    }

    /** Groups those of the youngest dead letters that match a filter. Each shard reads an equal share of the count. */
    static DeadLetterGroups read(ShardReader reader, List<Shard> shards, int count, DeadLetterFilter filter) {
        DeadLetterGrouping grouping = new DeadLetterGrouping();
        boolean complete = true;
        for (Shard shard : shards) {
            complete &= grouping.read(reader, shard, (count + shards.size() - 1) / shards.size(), filter);
        }
        return new DeadLetterGroups(
                grouping.groups.values().stream()
                        .sorted(Comparator.comparingLong(DeadLetterGroup::count).reversed())
                        .toList(),
                grouping.counted,
                complete);
    }

    /** Returns whether all dead letters of the shard were read. */
    private boolean read(ShardReader reader, Shard shard, int count, DeadLetterFilter filter) {
        DeadLetterCursor cursor = DeadLetterCursor.from(null);
        for (int left = count; left > 0; ) {
            DeadLetterCursor from = cursor;
            int size = Math.min(left, PollRequest.MAX_BATCH);
            List<DeadLetterEntry> page = Await.call(() -> reader.deadLetterKinds(shard, from.page(size)));
            counted += page.size();
            page.stream().filter(filter::matches).forEach(this::add);
            if (page.size() < size) {
                return true;
            }
            List<Instant> times =
                    page.stream().map(DeadLetterEntry::deadLetteredAt).toList();
            cursor = from.after(times, times);
            left -= size;
        }
        DeadLetterCursor end = cursor;
        return Await.call(() -> reader.deadLetterKinds(shard, end.page(1))).isEmpty();
    }

    private void add(DeadLetterEntry entry) {
        Instant time = entry.deadLetteredAt();
        groups.merge(
                entry.kind(),
                new DeadLetterGroup(entry.kind(), 1, time, time, entry.deadLetterId()),
                DeadLetterGrouping::merged);
    }

    private static DeadLetterGroup merged(DeadLetterGroup one, DeadLetterGroup other) {
        DeadLetterGroup youngest = other.last().isAfter(one.last()) ? other : one;
        return new DeadLetterGroup(
                one.kind(),
                one.count() + other.count(),
                one.first().isBefore(other.first()) ? one.first() : other.first(),
                youngest.last(),
                youngest.example());
    }
}
