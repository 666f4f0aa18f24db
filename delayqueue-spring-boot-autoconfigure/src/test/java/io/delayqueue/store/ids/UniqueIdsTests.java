package io.delayqueue.store.ids;

import io.delayqueue.test.redis.RedisServerProcess;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
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
}
