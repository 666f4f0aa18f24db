package io.delayqueue.benchmark.trial;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.benchmark.contender.Topics;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ShardKeys;
import java.time.Instant;
import java.util.List;
import redis.clients.jedis.Jedis;

/**
 * Counts the entries that the product or its floor leaves in the topic, without messages scheduled beforehand. Not
 * thread-safe.
 */
final class Remains implements AutoCloseable {

    private static final int CHUNK = 1_000;

    private final Jedis jedis;
    private final long scheduled;
    private final ShardKeys keys = new KeySpace(Topics.NAMESPACE).of(Shard.single(Topics.BENCH));

    Remains(int port, long scheduled) {
        jedis = new Jedis("127.0.0.1", port);
        this.scheduled = scheduled;
    }

    /** The number of surplus entries in the key that has most of them. Each key has a sentinel. */
    long count() {
        long most = Math.max(jedis.zcard(keys.schedule()) - scheduled, jedis.hlen(keys.messages()) - scheduled);
        return Math.max(0, Math.max(most, Math.max(jedis.zcard(keys.leases()), jedis.hlen(keys.deliveries()))) - 1);
    }

    /** Removes messages that are due before a time. */
    void removeUntil(Instant moment) {
        byte[] until = Long.toString(moment.toEpochMilli()).getBytes(UTF_8);
        while (true) {
            List<byte[]> ids = jedis.zrangeByScore(keys.schedule(), "-inf".getBytes(UTF_8), until, 0, CHUNK);
            if (ids.isEmpty()) {
                return;
            }
            byte[][] all = ids.toArray(byte[][]::new);
            jedis.zrem(keys.schedule(), all);
            jedis.hdel(keys.messages(), all);
        }
    }

    @Override
    public void close() {
        jedis.close();
    }
}
