package io.delayqueue.template.pull;

import io.delayqueue.message.Shard;
import io.delayqueue.redis.SignalSource.SignalListener;
import io.delayqueue.redis.SignalSource.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A pump's views of all shards of its topic, looked at by turns. Guarded by the pump's lock. */
final class ShardCursors {

    private final List<ShardCursor> cursors;
    private final List<Subscription> subscriptions;
    private int turn;

    /**
     * Over shards, whose signals are heard from now on.
     *
     * @param sequence numbers the requests, each higher than the one before
     * @param heard is told, without the lock, which shard is to be looked at, and when: at a time of Redis' clock (ms), or
     *     now (null)
     */
    ShardCursors(
            Tools tools, List<Shard> shards, LongSupplier sequence, BiConsumer<ShardCursor, @Nullable Long> heard) {
        this.cursors = shards.stream()
                .map(shard -> new ShardCursor(tools, shard, sequence))
                .toList();
        this.subscriptions = new ArrayList<>(cursors.size());
        for (ShardCursor cursor : cursors) {
            subscriptions.add(tools.signals().listen(cursor.shard(), new Ear(cursor, heard)));
        }
    }

    /** Turns signals into earlier looks. */
    private record Ear(ShardCursor cursor, BiConsumer<ShardCursor, @Nullable Long> heard) implements SignalListener {

        @Override
        public void headAt(long dueMillis) {
            heard.accept(cursor, dueMillis);
        }

        @Override
        public void surplus(String consumer) {
            heard.accept(cursor, null);
        }

        @Override
        public void resubscribed() {
            heard.accept(cursor, null);
        }
    }

    /** The next one to be looked at, after the one before; null if there is none. */
    @Nullable
    ShardCursor next(boolean somebodyWaits, long newest, long now) {
        for (int i = 0; i < cursors.size(); i++) {
            ShardCursor cursor = cursors.get((turn + i) % cursors.size());
            if (cursor.isToBeLookedAt(somebodyWaits, newest, now)) {
                turn = (turn + i + 1) % cursors.size();
                return cursor;
            }
        }
        return null;
    }

    /** Whether nothing is there for a receiver, in any shard. */
    boolean haveAnswered(WaitingReceiver receiver) {
        return cursors.stream().allMatch(cursor -> cursor.hasAnswered(receiver));
    }

    boolean needCare() {
        return cursors.stream().anyMatch(ShardCursor::needsCare);
    }

    /** For how long nothing is to be looked at, ns; may be negative. */
    long untilNextLook(long now) {
        long wait = Long.MAX_VALUE;
        for (ShardCursor cursor : cursors) {
            wait = Math.min(wait, cursor.nextLook() - now);
        }
        return wait;
    }

    void stopListening() {
        subscriptions.forEach(Subscription::close);
    }

    void closeLanes() {
        cursors.forEach(cursor -> cursor.lane().close());
    }
}
