package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

@EmbeddedRedis
class RemovedSentinelTests {

    private final RedisServerProcess redis;

    RemovedSentinelTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @Test
    void shardWithRemovedScheduleContinuesWithoutFailure() {
        redis.flush();
        Happenings happenings = new Happenings();
        Set<String> handled = ConcurrentHashMap.newKeySet();
        try (QueueNode node = new QueueNode(redis.port(), EngineSettings.DEFAULTS, happenings)) {
            node.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
                handled.add(deliveries.get(0).id());
                return null;
            });
            String first = node.template.send("t", "before").id();
            await().until(() -> handled.contains(first) && happenings.count("acknowledged") == 1);

            redis.command("DEL", "dq:{t:0.0}:schedule");
            String second = node.template.send("t", "after").id();

            await().until(() -> handled.contains(second) && happenings.count("acknowledged") == 2);
            assertThat(happenings.of("taskFailed")).isEmpty();
            assertThat(redis.command("ZCARD", "dq:{t:0.0}:schedule")).isEqualTo(1L);
        }
    }
}
