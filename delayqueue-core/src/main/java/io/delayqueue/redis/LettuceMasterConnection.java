package io.delayqueue.redis;

import io.delayqueue.message.Completions;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A connection of Lettuce to one master, from a factory of its own. */
final class LettuceMasterConnection implements MasterConnection {

    private final LettuceConnectionFactory factory;
    private final RedisConnection connection;
    private final RedisClusterAsyncCommands<byte[], byte[]> commands;

    /**
     * Connects.
     *
     * @param factory started, for this connection only; destroyed when the connection is closed or cannot be made
     */
    @SuppressWarnings("unchecked")
    LettuceMasterConnection(LettuceConnectionFactory factory) {
        this.factory = factory;
        try {
            this.connection = factory.getConnection();
            this.commands = (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
        } catch (RuntimeException | Error e) {
            factory.destroy();
            throw e;
        }
    }

    @Override
    public List<Reply> exchange(List<List<byte[]>> pipeline, Duration timeout) {
        List<CompletableFuture<List<Object>>> sent = new ArrayList<>(pipeline.size());
        for (List<byte[]> command : pipeline) {
            CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE);
            command.subList(1, command.size()).forEach(arguments::add);
            byte[] name = command.get(0);
            ProtocolKeyword keyword = () -> name;
            sent.add(commands.dispatch(keyword, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), arguments)
                    .toCompletableFuture());
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        return sent.stream().map(each -> reply(each, deadline)).toList();
    }

    private static Reply reply(CompletableFuture<List<Object>> sent, long deadline) {
        try {
            return Reply.of(sent.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            return Reply.failed(Completions.cause(e));
        } catch (TimeoutException e) {
            return Reply.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Reply.failed(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } finally {
            factory.destroy();
        }
    }
}
