package io.delayqueue.store.script;

import io.delayqueue.message.MessageState;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.Forecast;
import io.delayqueue.store.Listing;
import io.delayqueue.store.ShardReader;
import io.delayqueue.store.StepRequest;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads shards in Redis. Each verb runs the script of its name. */
public final class RedisShardReader implements ShardReader {

    private static final LuaScript LIST = LuaScript.beside(RedisShardReader.class, "list");
    private static final LuaScript UPCOMING = LuaScript.beside(RedisShardReader.class, "upcoming");

    private final ShardCalls calls;

    /** Over the scripts and names of one namespace. */
    public RedisShardReader(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.calls = new ShardCalls(scripts, keySpace, registry);
    }

    @Override
    public Listing list(Shard shard, MessageState state, Listing.@Nullable Place after, int count) {
        return calls.look(
                        LIST,
                        shard,
                        ShardKeyList.LANE,
                        arguments -> arguments
                                .add(view(state))
                                .add(after == null ? "" : Long.toString(after.millis()))
                                .add(after == null ? "" : after.id())
                                .add(count)
                                .add(StepRequest.MAX_BYTES)
                                .add(ShardCalls.SENTINEL))
                .map(reply -> SnapshotReply.list(shard.topic(), state, reply))
                .orElse(Listing.EMPTY);
    }

    private static String view(MessageState state) {
        return switch (state) {
            case SCHEDULED -> "s";
            case READY -> "r";
            case LEASED -> "l";
        };
    }

    @Override
    public Optional<Forecast> upcoming(Shard shard, Duration width, int buckets) {
        return calls.look(
                        UPCOMING,
                        shard,
                        ShardKeyList.LANE,
                        arguments ->
                                arguments.add(width.toMillis()).add(buckets).add(ShardCalls.SENTINEL))
                .map(RedisShardReader::forecast);
    }

    private static Forecast forecast(List<Object> reply) {
        return new Forecast(
                Replies.micros(reply.get(1)).truncatedTo(ChronoUnit.MILLIS),
                Replies.number(reply.get(2)),
                Replies.list(reply.get(3)).stream().map(Replies::number).toList(),
                Replies.number(reply.get(4)));
    }
}
