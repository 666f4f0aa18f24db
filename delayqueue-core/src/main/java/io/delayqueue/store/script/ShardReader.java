package io.delayqueue.store.script;

import io.delayqueue.message.DeadLetterKind;
import io.delayqueue.message.MessageSnapshot.OrderedKey;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.DeadLetterEntry;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.Forecast;
import io.delayqueue.store.Listing;
import io.delayqueue.store.PollRequest;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads many messages of a shard, for inspection. Each method runs one script in one round trip, writes nothing and
 * treats a shard that does not exist as empty. No method blocks. Thread-safe.
 *
 * <p>Futures fail with a {@link io.delayqueue.redis.RedisCallException} if the script has no reply, and with a
 * {@link io.delayqueue.store.TopicConflictException} if the shard has another shard count or format than this process
 * expects.
 */
public final class ShardReader {

    /** The largest number of messages of a listing. */
    public static final int MAX_LISTED = 500;

    /** The largest number of buckets of a forecast. */
    public static final int MAX_BUCKETS = 120;

    private static final int MAX_KEYS = 20;
    private static final int MAX_PARKED = 1000;

    private static final LuaScript LIST = LuaScript.beside(ShardReader.class, "list");
    private static final LuaScript KINDS = LuaScript.beside(ShardReader.class, "deadletterkinds");
    private static final LuaScript SLOWEST_KEYS = LuaScript.beside(ShardReader.class, "slowestkeys");
    private static final LuaScript UPCOMING = LuaScript.beside(ShardReader.class, "upcoming");

    private final ShardCalls calls;

    /** Creates the reader of one namespace. */
    public ShardReader(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.calls = new ShardCalls(scripts, keySpace, registry);
    }

    /**
     * Lists messages of one state. Leased messages are ordered by the end of the lease, all others by due
     * time; messages with equal times are ordered by id.
     *
     * @param after the place after which the listing starts, even if no message is there any more; null for the
     *     beginning
     * @param count largest number of messages, 1 to 500; large or incomplete messages reduce it
     */
    public CompletableFuture<Listing> list(Shard shard, MessageState state, Listing.@Nullable Place after, int count) {
        return calls.runIfExists(
                        LIST,
                        shard,
                        ShardKeys::queue,
                        call -> call.add(view(state))
                                .add(after == null ? "" : Long.toString(after.millis()))
                                .add(after == null ? "" : after.id())
                                .add(count)
                                .add(PollRequest.MAX_BYTES)
                                .add(ShardCalls.SENTINEL))
                .thenApply(found -> found.map(reply -> SnapshotReply.list(shard.topic(), state, reply))
                        .orElse(Listing.EMPTY));
    }

    private static String view(MessageState state) {
        return switch (state) {
            case SCHEDULED -> "s";
            case READY -> "r";
            case LEASED -> "l";
            case SUSPECT -> "i";
        };
    }

    /**
     * Finds the keys whose parked messages have been due for longest, the slowest first, among the first 1,000 parked
     * messages. Large messages reduce the number of keys. A topic that is not ordered has no keys.
     */
    public CompletableFuture<List<OrderedKey>> slowestKeys(Shard shard) {
        return calls.runIfExists(
                        SLOWEST_KEYS,
                        shard,
                        ShardKeys::queue,
                        call -> call.add(MAX_PARKED).add(MAX_KEYS).add(PollRequest.MAX_BYTES))
                .thenApply(found -> found.map(reply -> SnapshotReply.keys(shard.topic(), reply))
                        .orElse(List.of()));
    }

    /** Reads a page of dead letters without their messages, youngest first. */
    public CompletableFuture<List<DeadLetterEntry>> deadLetterKinds(Shard shard, DeadLetterQuery.Page page) {
        return calls.runIfExists(
                        KINDS,
                        shard.messages(),
                        ShardKeys::withDeadLetters,
                        call -> call.add(RedisMessageStore.deadLetteredUntil(page))
                                .add(page.offset())
                                .add(page.count()))
                .thenApply(found -> found.map(ShardReader::entries).orElse(List.of()));
    }

    private static List<DeadLetterEntry> entries(List<Object> reply) {
        List<Object> ids = Replies.list(reply.get(2));
        List<Object> times = Replies.list(reply.get(3));
        List<Object> numbers = Replies.list(reply.get(4));
        List<String> kinds =
                Replies.list(reply.get(5)).stream().map(Replies::text).toList();
        return IntStream.range(0, ids.size())
                .mapToObj(i -> {
                    int kind = 3 * (int) Replies.number(numbers.get(i));
                    return new DeadLetterEntry(
                            Replies.text(ids.get(i)),
                            Replies.millis(times.get(i)),
                            new DeadLetterKind(kinds.get(kind), kinds.get(kind + 1), kinds.get(kind + 2)));
                })
                .toList();
    }

    /**
     * Counts scheduled messages by due time.
     *
     * @param width width of a bucket, in whole milliseconds
     * @param buckets number of buckets, 1 to 120
     * @return the counts; empty if the shard does not exist
     */
    public CompletableFuture<Optional<Forecast>> upcoming(Shard shard, Duration width, int buckets) {
        return calls.runIfExists(
                        UPCOMING,
                        shard,
                        ShardKeys::queue,
                        call -> call.add(width.toMillis()).add(buckets).add(ShardCalls.SENTINEL))
                .thenApply(found -> found.map(ShardReader::forecast));
    }

    private static Forecast forecast(List<Object> reply) {
        return new Forecast(
                Replies.micros(reply.get(1)).truncatedTo(ChronoUnit.MILLIS),
                Replies.number(reply.get(2)),
                Replies.list(reply.get(3)).stream().map(Replies::number).toList(),
                Replies.number(reply.get(4)),
                Replies.text(reply.get(5)).isEmpty() ? null : Replies.millis(reply.get(5)));
    }
}
