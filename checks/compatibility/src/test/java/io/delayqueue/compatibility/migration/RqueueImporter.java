package io.delayqueue.compatibility.migration;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueOperations;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.util.DigestUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Moves the messages of a queue of rqueue to a topic. If it was interrupted, run it again. */
class RqueueImporter {

    private static final int BATCH = 100;

    /** Moves messages to a set from which rqueue takes nothing, unless it has messages of an earlier run. */
    @SuppressWarnings("rawtypes")
    private static final RedisScript<List> TAKE = RedisScript.of("""
            local taken = redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1, 'WITHSCORES')
            if #taken > 0 then return taken end
            local now = redis.call('TIME')[1] .. '000'
            for i = 2, ARGV[2] == 'all' and 3 or 2 do
              local messages = redis.call('ZRANGE', KEYS[i], 0, ARGV[1] - 1, 'WITHSCORES')
              for j = 1, #messages, 2 do
                redis.call('ZADD', KEYS[1], messages[j + 1], messages[j])
                redis.call('ZREM', KEYS[i], messages[j])
              end
            end
            for i = 1, ARGV[2] == 'all' and tonumber(ARGV[1]) or 0 do
              local message = redis.call('LINDEX', KEYS[4], 0)
              if not message then break end
              redis.call('ZADD', KEYS[1], now, message)
              redis.call('LPOP', KEYS[4])
            end
            return redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1, 'WITHSCORES')
            """, List.class);

    private final StringRedisTemplate redis;
    private final DelayQueueOperations delayQueue;
    private final JsonMapper json;

    RqueueImporter(StringRedisTemplate redis, DelayQueueOperations delayQueue, JsonMapper json) {
        this.redis = redis;
        this.delayQueue = delayQueue;
        this.json = json;
    }

    /**
     * Moves messages until there are none.
     *
     * @param all whether to move also those that are due or being handled; only if no application with rqueue runs
     * @return the number of messages
     */
    int run(String queue, String topic, boolean all) {
        String name = "{" + queue + "}"; // without braces if rqueue.cluster.mode is false
        String taken = "delayqueue-import:" + name;
        List<String> keys = List.of(taken, "__rq::d-queue::" + name, "__rq::p-queue::" + name, "__rq::queue::" + name);
        int moved = 0;
        while (true) {
            List<?> stored = redis.execute(TAKE, keys, "" + BATCH, all ? "all" : "");
            if (stored.isEmpty()) {
                return moved;
            }
            List<DelayMessage> messages = new ArrayList<>();
            for (int i = 0; i < stored.size(); i += 2) {
                messages.add(message(queue, topic, (String) stored.get(i), (String) stored.get(i + 1)));
            }
            delayQueue.sendAll(messages);
            for (int i = 0; i < stored.size(); i += 2) {
                redis.opsForZSet().remove(taken, stored.get(i));
            }
            moved += messages.size();
        }
    }

    private DelayMessage message(String queue, String topic, String stored, String due) {
        JsonNode message = json.readTree(stored);
        JsonNode content = json.readTree(message.path("message").asString());
        String id = message.path("id").asString();
        String unique = queue + ":" + id + ":" + message.path("queuedTime").asString();
        return DelayMessage.to(topic)
                .id(id)
                .payload(json.readValue(content.path("msg").asString(), Object.class))
                .dueAt(Instant.ofEpochMilli((long) Double.parseDouble(due)))
                .nonce(DigestUtils.md5DigestAsHex(unique.getBytes(StandardCharsets.UTF_8))) // so that a second send
                .rememberFor(Duration.ofDays(7)) // is recognised, even after the message was handled
                .build();
    }
}
