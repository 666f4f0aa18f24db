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
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * One connection to one master, which never reconnects: a reply certainly belongs to the command that was sent on it.
 * One thread at a time uses it.
 */
final class MasterConnection implements AutoCloseable {

    /**
     * The reply to a command.
     *
     * @param elements the elements of the reply; a reply that is no list has one element
     * @param failure the error reply of Redis, or why there is no reply; null if there is a reply
     */
    record Reply(List<Object> elements, @Nullable Throwable failure) {

        static Reply of(List<Object> elements) {
            return new Reply(elements, null);
        }

        static Reply failed(Throwable failure) {
            return new Reply(List.of(), failure);
        }
    }

    private final LettuceConnectionFactory factory;
    private final RedisConnection connection;
    private final RedisClusterAsyncCommands<byte[], byte[]> commands;

    /**
     * Connects.
     *
     * @param factory started, for this connection only; destroyed when the connection is closed or cannot be made
     */
    @SuppressWarnings("unchecked")
    MasterConnection(LettuceConnectionFactory factory) {
        this.factory = factory;
        try {
            this.connection = factory.getConnection();
            this.commands = (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
        } catch (RuntimeException | Error e) {
            factory.destroy();
            throw e;
        }
    }

    /**
     * Sends commands in one pipeline and waits for the replies.
     *
     * @param pipeline names and arguments
     * @param timeout longest time to wait for all replies
     * @return the replies in the order of the commands
     */
    List<Reply> exchange(List<List<byte[]>> pipeline, Duration timeout) {
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
