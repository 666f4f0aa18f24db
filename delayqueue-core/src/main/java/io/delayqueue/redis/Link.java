package io.delayqueue.redis;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * The established connections to Redis and the number of successive timeouts of each server. Thread-safe.
 *
 * <p>Scripts are sent through a {@link RedisTemplate} on a connection factory of the queue's own. The template opens the
 * native connection once: all threads share it, and it ends with the factory.
 */
final class Link implements AutoCloseable {

    private static final int MAX_TIMEOUTS = 2;

    private final LettuceConnectionFactory factory;
    private final boolean clustered;
    private final RedisClusterAsyncCommands<byte[], byte[]> commands;
    private final Map<Integer, Integer> timeouts = new ConcurrentHashMap<>();

    /**
     * Connects.
     *
     * @param factory not started; destroyed when the link is closed or Redis cannot be reached
     */
    @SuppressWarnings("unchecked")
    Link(LettuceConnectionFactory factory, boolean clustered) {
        this.factory = factory;
        this.clustered = clustered;
        try {
            factory.afterPropertiesSet();
            RedisTemplate<byte[], byte[]> template = new RedisTemplate<>();
            template.setConnectionFactory(factory);
            template.setDefaultSerializer(RedisSerializer.byteArray());
            template.afterPropertiesSet();
            Object connection = template.execute(RedisConnection::getNativeConnection, true);
            this.commands = (RedisClusterAsyncCommands<byte[], byte[]>) Objects.requireNonNull(connection);
        } catch (RuntimeException | Error e) {
            factory.destroy();
            throw e;
        }
    }

    LettuceConnectionFactory factory() {
        return factory;
    }

    /**
     * Writes a script and returns its reply.
     *
     * @param withText whether to send the script's text instead of its digest
     * @param repeated set when Lettuce writes the script again, because the connection broke before the reply; not after a
     *     redirection in a Cluster, because the redirecting server has not run it
     */
    CompletionStage<List<Object>> send(ScriptCall call, boolean withText, AtomicBoolean repeated) {
        ObservedArguments arguments = new ObservedArguments(repeated);
        if (withText) {
            arguments.add(call.text());
        } else {
            arguments.add(call.script().sha1());
        }
        // the keys select the server in a Cluster; the arguments need no codec
        arguments.add(call.keys().size()).addKeys(call.keys());
        call.arguments().forEach(arguments::add);
        return commands.dispatch(
                withText ? CommandType.EVAL : CommandType.EVALSHA, new ObservedOutput(arguments), arguments);
    }

    /** The masters of a Cluster in the client's map of slots. */
    List<ScriptRunner.Master> masters() {
        if (!(factory.getNativeClient() instanceof RedisClusterClient client)) {
            return List.of();
        }
        return client.getPartitions().stream()
                .filter(node -> node.getRole().isUpstream() && !node.hasNoSlots())
                .map(node -> new ScriptRunner.Master(
                        node.getUri().getHost() + ":" + node.getUri().getPort(),
                        node.getSlots().get(0),
                        node::hasSlot))
                .toList();
    }

    /** Records that Redis replied to a call, with a result or an error. */
    void replied(ScriptCall call) {
        if (!timeouts.isEmpty()) {
            timeouts.remove(server(call));
        }
    }

    /**
     * Records that a call timed out.
     *
     * @return whether the server of the call does not respond: the previous call timed out, too
     */
    boolean timedOut(ScriptCall call) {
        return timeouts.merge(server(call), 1, Integer::sum) >= MAX_TIMEOUTS;
    }

    /** Whether the server of a call does not respond on this connection. */
    boolean isUnresponsive(ScriptCall call) {
        return !timeouts.isEmpty() && timeouts.getOrDefault(server(call), 0) >= MAX_TIMEOUTS;
    }

    /**
     * Identifies the server of a call. In a Cluster, the slot stands for its server: other servers may still respond.
     */
    private int server(ScriptCall call) {
        return clustered ? call.slot() : 0;
    }

    @Override
    public void close() {
        factory.destroy();
    }

    /** Arguments that tell when their command is written again. Lettuce encodes a command each time that it writes it. */
    private static final class ObservedArguments extends CommandArgs<byte[], byte[]> {

        private final AtomicBoolean repeated;
        private volatile boolean written;

        ObservedArguments(AtomicBoolean repeated) {
            super(ByteArrayCodec.INSTANCE);
            this.repeated = repeated;
        }

        @Override
        public void encode(ByteBuf buffer) {
            if (written) {
                repeated.set(true);
            }
            written = true;
            super.encode(buffer);
        }

        void redirected() {
            written = false;
        }
    }

    /** The reply of a command, which notes redirections. */
    private static final class ObservedOutput extends NestedMultiOutput<byte[], byte[]> {

        private final ObservedArguments arguments;

        ObservedOutput(ObservedArguments arguments) {
            super(ByteArrayCodec.INSTANCE);
            this.arguments = arguments;
        }

        @Override
        public void setError(ByteBuffer reply) {
            super.setError(reply);
            String error = String.valueOf(getError());
            if (error.startsWith("MOVED ") || error.startsWith("ASK ")) {
                arguments.redirected();
            }
        }
    }
}
