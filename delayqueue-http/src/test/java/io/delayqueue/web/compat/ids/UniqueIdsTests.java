package io.delayqueue.web.compat.ids;

import static io.delayqueue.web.compat.ids.IdsOnRedis.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.web.compat.ids.IdsOnRedis.Pusher;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** On one Redis. */
class UniqueIdsTests extends UniqueIdsContract {

    private static RedisServerProcess server;
    private static IdsOnRedis redis;

    @BeforeAll
    static void start() {
        server = RedisServerProcess.start();
        redis = new IdsOnRedis(new LettuceConnectionFactory("127.0.0.1", server.port()));
    }

    @AfterAll
    static void end() {
        redis.close();
        server.close();
    }

    @BeforeEach
    void flush() {
        server.flush();
    }

    @Override
    IdsOnRedis redis() {
        return redis;
    }

    @Override
    Set<String> keys() {
        Set<String> keys = new HashSet<>();
        ((List<?>) server.command("KEYS", "*")).forEach(key -> keys.add(String.valueOf(key)));
        return keys;
    }

    @Test
    void fullMemoryRejectsPushesOnly() {
        Pusher pusher = redis.process();
        pusher.push("a", "1", "x");
        pusher.push("a", "2", "x");
        pusher.template().send(DelayMessage.to("b").id("3").payload("x").build());
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertThatThrownBy(() -> pusher.push("b", "1", "y")).hasMessageContaining("OOM");
            assertThat(pusher.found("1")).contains("a=x");
            assertThat(pusher.end("1")).isTrue();
            join(pusher.ids().add("b", "3"));
            assertThat(pusher.end("3")).isTrue();
            pusher.template().cancel("a", "2");
            redis.sweep(Duration.ZERO, "2");
            assertThat(redis.entry("1")).isEmpty();
            assertThat(redis.entry("2")).isEmpty();
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
    }
}
