package io.delayqueue.autoconfigure;

import io.delayqueue.container.DelayQueueEngine;
import io.delayqueue.container.EngineBuilder;
import io.delayqueue.container.EngineSettings;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.RedisSignals;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.util.concurrent.Executor;

/** Redis access of the engine: scripts, store and signals of one node. */
record EngineRedis(
        QueueConnections connections,
        RedisScripts scripts,
        KeySpace keySpace,
        MessageStore store,
        TopicRegistry registry,
        Executor executor) {

    EngineBuilder engine(EngineSettings settings) {
        String node = EngineBuilder.newNode();
        Duration validity = settings.heartbeat().multipliedBy(5).dividedBy(2);
        RedisSignals signals = new RedisSignals(connections, keySpace, executor, node, validity, System::nanoTime);
        return DelayQueueEngine.builder()
                .node(node)
                .redis(scripts, keySpace)
                .store(store, registry)
                .signals(signals)
                .settings(settings);
    }
}
