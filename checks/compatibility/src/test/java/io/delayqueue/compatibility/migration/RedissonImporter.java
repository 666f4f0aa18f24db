package io.delayqueue.compatibility.migration;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueOperations;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.client.handler.State;
import org.springframework.util.DigestUtils;

/** Moves the elements of Redisson's RDelayedQueue to a topic. If it was interrupted, run it again. */
class RedissonImporter {

    private static final int BATCH = 100;

    /** Moves elements to a set from which Redisson takes nothing, unless it has elements of an earlier run. */
    private static final String TAKE = """
            local taken = redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1, 'WITHSCORES')
            if #taken > 0 then return taken end
            local now = redis.call('TIME')[1] .. '000'
            for i = 1, tonumber(ARGV[1]) do
              local element = redis.call('LINDEX', KEYS[2], 0)
              if not element then break end
              redis.call('ZADD', KEYS[1], redis.call('ZSCORE', KEYS[3], element) or now, element)
              redis.call('LPOP', KEYS[2])
              redis.call('ZREM', KEYS[3], element)
            end
            for i = 1, ARGV[2] == 'all' and redis.call('ZCARD', KEYS[1]) == 0 and tonumber(ARGV[1]) or 0 do
              local value = redis.call('LINDEX', KEYS[4], 0)
              if not value then break end
              local id = 'ready' .. redis.call('INCR', KEYS[5])
              redis.call('ZADD', KEYS[1], now, struct.pack('Bc0Lc0', #id, id, #value, value))
              redis.call('LPOP', KEYS[4])
            end
            return redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1, 'WITHSCORES')
            """;

    private final RedissonClient redisson;
    private final DelayQueueOperations delayQueue;

    RedissonImporter(RedissonClient redisson, DelayQueueOperations delayQueue) {
        this.redisson = redisson;
        this.delayQueue = delayQueue;
    }

    /**
     * Moves elements until there are none.
     *
     * @param all whether to move also those that are due and that no consumer has taken; only if none runs
     * @return the number of elements
     */
    int run(String queue, String topic, boolean all) throws IOException {
        String name = queue.contains("{") ? queue : "{" + queue + "}";
        String taken = "delayqueue-import:" + name;
        List<Object> keys = List.of(
                taken,
                "redisson_delay_queue:" + name,
                "redisson_delay_queue_timeout:" + name,
                queue,
                "delayqueue-import-count:" + name);
        RScript redis = redisson.getScript(ByteArrayCodec.INSTANCE);
        int moved = 0;
        while (true) {
            List<byte[]> elements = redis.eval(
                    RScript.Mode.READ_WRITE,
                    TAKE,
                    RScript.ReturnType.LIST,
                    keys,
                    bytes("" + BATCH),
                    bytes(all ? "all" : ""));
            if (elements.isEmpty()) {
                return moved;
            }
            List<DelayMessage> messages = new ArrayList<>();
            for (int i = 0; i < elements.size(); i += 2) {
                messages.add(message(queue, topic, elements.get(i), elements.get(i + 1)));
            }
            delayQueue.sendAll(messages);
            for (int i = 0; i < elements.size(); i += 2) {
                redisson.getScoredSortedSet(taken, ByteArrayCodec.INSTANCE).remove(elements.get(i));
            }
            moved += messages.size();
        }
    }

    private DelayMessage message(String queue, String topic, byte[] element, byte[] due) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(element).order(ByteOrder.LITTLE_ENDIAN);
        byte[] id = new byte[buffer.get() & 0xff];
        buffer.get(id);
        byte[] value = new byte[(int) buffer.getLong()];
        buffer.get(value);
        String unique = queue + ":" + HexFormat.of().formatHex(id);
        return DelayMessage.to(topic)
                .id(unique)
                .payload(redisson.getConfig()
                        .getCodec()
                        .getValueDecoder()
                        .decode(Unpooled.wrappedBuffer(value), new State()))
                .dueAt(Instant.ofEpochMilli((long) Double.parseDouble(new String(due, StandardCharsets.US_ASCII))))
                .nonce(DigestUtils.md5DigestAsHex(bytes(unique))) // so that a second send is recognised, even after
                .rememberFor(Duration.ofDays(7)) // the message was handled
                .build();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
