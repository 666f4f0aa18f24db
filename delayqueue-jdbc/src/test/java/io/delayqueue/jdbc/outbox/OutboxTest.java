package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.H2Database;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.template.DelayQueueTemplateBuilder;
import io.delayqueue.test.redis.RedisServerProcess;
import io.delayqueue.testing.DatabaseServer;
import io.delayqueue.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** One Redis per test class, and a database, both emptied before each test. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OutboxTest {

    static final String TOPIC = "order-cancel";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration SHORT_TIMEOUT = Duration.ofMillis(500);

    RedisServerProcess redis;
    TestDatabase database;
    /** A consumer's connection to Redis, which has no faults. */
    ProxiedQueue observer;

    Consumer consumer;
    private final List<OutboxNode> nodes = new ArrayList<>();
    private Duration commandTimeout = TIMEOUT;

    /** The server that the class requires, or H2. */
    TestDatabase database() {
        DatabaseServer server = Databases.of(getClass());
        return server == null ? new H2Database(getClass().getSimpleName()) : server;
    }

    @BeforeAll
    void startServers() {
        redis = RedisServerProcess.start();
        database = database();
    }

    @AfterAll
    void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void empty() {
        closeNodes();
        redis.flush();
        commandTimeout = TIMEOUT;
        database.reset();
        observer = new ProxiedQueue(redis, TIMEOUT);
        consumer = new Consumer(observer);
    }

    @AfterEach
    void closeNodes() {
        nodes.forEach(OutboxNode::close);
        nodes.clear();
        if (observer != null) {
            observer.close();
            observer = null;
        }
    }

    final OutboxNode node() {
        return node(template -> template);
    }

    final OutboxNode node(UnaryOperator<DelayQueueTemplateBuilder> configuration) {
        OutboxNode node = new OutboxNode(database, redis, commandTimeout, configuration);
        nodes.add(node);
        return node;
    }

    /** Makes the sends of further nodes fail soon after they lost their connections to Redis. */
    final void shortenCommandTimeout() {
        commandTimeout = SHORT_TIMEOUT;
    }

    /** A message whose id is generated. */
    static DelayMessage message(String order) {
        return DelayMessage.to(TOPIC).payload(order).build();
    }

    /** A message that is not due. No other one of its id may be live. */
    static DelayMessage later(String id, String order) {
        return DelayMessage.to(TOPIC)
                .id(id)
                .payload(order)
                .delay(Duration.ofHours(1))
                .build();
    }

    /** A message that replaces another one of its id. */
    static DelayMessage message(String id, String order) {
        return DelayMessage.to(TOPIC)
                .id(id)
                .payload(order)
                .onDuplicate(OnDuplicate.REPLACE)
                .build();
    }
}
