package io.delayqueue.store.script;

import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.Forecast;
import io.delayqueue.store.Listing;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.ShardReader;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads shards in Redis. Each method runs one Lua script. Thread-safe. */
public final class RedisShardReader implements ShardReader {

    private static final LuaScript LIST = LuaScript.beside(RedisShardReader.class, "list");
    private static final LuaScript UPCOMING = LuaScript.beside(RedisShardReader.class, "upcoming");

    private final ShardCalls calls;

    /** Creates the reader of one namespace. */
    public RedisShardReader(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.calls = new ShardCalls(scripts, keySpace, registry);
    }

    @Override
    public CompletableFuture<Listing> list(Shard shard, MessageState state, Listing.@Nullable Place after, int count) {
        return calls.runIfExists(
                        LIST,
                        shard,
                        ShardKeyList.QUEUE,
                        arguments -> arguments
                                .add(view(state))
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
        };
    }

    @Override
    public CompletableFuture<Optional<Forecast>> upcoming(Shard shard, Duration width, int buckets) {
        return calls.runIfExists(
                        UPCOMING,
                        shard,
                        ShardKeyList.QUEUE,
                        arguments ->
                                arguments.add(width.toMillis()).add(buckets).add(ShardCalls.SENTINEL))
                .thenApply(found -> found.map(RedisShardReader::forecast));
    }

    private static Forecast forecast(List<Object> reply) {
        return new Forecast(
                Replies.micros(reply.get(1)).truncatedTo(ChronoUnit.MILLIS),
                Replies.number(reply.get(2)),
                Replies.list(reply.get(3)).stream().map(Replies::number).toList(),
                Replies.number(reply.get(4)));
    }
}
