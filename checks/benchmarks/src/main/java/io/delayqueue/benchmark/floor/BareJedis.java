package io.delayqueue.benchmark.floor;

import java.nio.charset.StandardCharsets;
import java.util.List;
import redis.clients.jedis.Jedis;

/** Jedis with one connection per thread. */
final class BareJedis implements BareClient {

    private final int port;

    BareJedis(int port) {
        this.port = port;
    }

    private record JedisCaller(Jedis jedis) implements Caller {

        @Override
        public List<?> run(byte[] sha1, RecordedCall call) {
            return (List<?>) jedis.evalsha(sha1, call.keyCount(), call.all());
        }

        @Override
        public List<?> run(String text, RecordedCall call) {
            return (List<?>) jedis.eval(text.getBytes(StandardCharsets.UTF_8), call.keyCount(), call.all());
        }

        @Override
        public void close() {
            jedis.close();
        }
    }

    @Override
    public Caller caller() {
        return new JedisCaller(new Jedis("127.0.0.1", port));
    }

    @Override
    public void close() {
        // Each caller closes its own connection.
    }
}
