package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.Direction;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** A node that watches a shard may hang while all signals still go round. */
@EmbeddedRedis
class NeglectedShardTests {

    private final RedisServerProcess redis;
    private final Set<String> handled = ConcurrentHashMap.newKeySet();

    NeglectedShardTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @Test
    void whatAHangingWatcherLeavesIsTakenByAnotherWithinASweep() {
        try (FaultProxy firstProxy = FaultProxy.inFrontOf(redis);
                FaultProxy secondProxy = FaultProxy.inFrontOf(redis);
                QueueNode first = listening(firstProxy);
                QueueNode second = listening(secondProxy)) {
            await().until(() -> first.signals.confirmed() && second.signals.confirmed());
            // one of the two watches; whichever it is, it hangs once
            delivers(firstProxy, second, "while the first hangs");
            await().atMost(Duration.ofSeconds(30)).until(first.signals::confirmed);
            delivers(secondProxy, first, "while the second hangs");
        }
    }

    private QueueNode listening(FaultProxy proxy) {
        QueueNode node = new QueueNode(proxy.port(), EngineSettings.DEFAULTS);
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> {
            handled.add(deliveries.get(0).id());
            return null;
        });
        return node;
    }

    private void delivers(FaultProxy hanging, QueueNode other, String what) {
        hanging.blackHole(Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT);
        String id = other.template.send("t", what, Duration.ofMillis(500)).id();
        long start = System.nanoTime();
        await().atMost(EngineSettings.DEFAULTS.sweep().multipliedBy(3)).until(() -> handled.contains(id));
        System.out.println("delivered " + what + " after " + Duration.ofNanos(System.nanoTime() - start));
        hanging.pass();
        hanging.disconnect();
        assertThat(handled).contains(id);
    }
}
