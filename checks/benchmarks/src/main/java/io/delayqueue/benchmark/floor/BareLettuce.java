package io.delayqueue.benchmark.floor;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Lettuce with one connection for all threads. */
final class BareLettuce implements BareClient {

    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;

    BareLettuce(int port) {
        client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        connection = client.connect(ByteArrayCodec.INSTANCE);
    }

    private record LettuceCaller(StatefulRedisConnection<byte[], byte[]> connection) implements Caller {

        @Override
        public List<?> run(byte[] sha1, RecordedCall call) {
            String digest = new String(sha1, StandardCharsets.US_ASCII);
            return await(connection.async().evalsha(digest, ScriptOutputType.MULTI, call.keys(), call.arguments()));
        }

        @Override
        public List<?> run(String text, RecordedCall call) {
            return await(connection.async().eval(text, ScriptOutputType.MULTI, call.keys(), call.arguments()));
        }

        private static List<?> await(RedisFuture<List<?>> reply) {
            return reply.toCompletableFuture().join();
        }

        @Override
        public void close() {
            // All callers share the connection.
        }
    }

    @Override
    public Caller caller() {
        return new LettuceCaller(connection);
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
