package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.slf4j.LoggerFactory;

/** Base of tests of outages: a Redis that can be killed, a proxy in front of it, and the log. */
abstract class OutageTest {

    static final int LISTENERS = 5;

    final Happenings happenings = new Happenings();
    final List<QueueNode> nodes = new ArrayList<>();
    final ListAppender<ILoggingEvent> log = new ListAppender<>();
    RedisServerProcess redis;
    FaultProxy proxy;

    /** A server that, restarted, replies that it is loading. Redis 6.2 replies nothing meanwhile. */
    private static RedisServerProcess startSlowlyLoading() {
        try {
            return RedisServerProcess.builder()
                    .appendOnly()
                    .setting("key-load-delay", "400")
                    .setting("loading-process-events-interval-bytes", "1024")
                    .start();
        } catch (IllegalStateException e) {
            if (!String.valueOf(e.getMessage()).contains("Bad directive")) {
                throw e;
            }
            return RedisServerProcess.builder().appendOnly().start();
        }
    }

    @BeforeEach
    void start() {
        redis = startSlowlyLoading();
        proxy = FaultProxy.inFrontOf(redis);
        log.start();
        logger().addAppender(log);
    }

    @AfterEach
    void stop() {
        logger().detachAppender(log);
        nodes.forEach(QueueNode::close);
        proxy.close();
        redis.close();
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger("io.delayqueue");
    }

    /** A node with five listeners, one of which has received a message. */
    final QueueNode working(QueueNode node) {
        listen(node);
        deliver(sender(), "first");
        await().until(node.signals::confirmed);
        return node;
    }

    final QueueNode start(QueueNode.Builder builder) {
        QueueNode node = builder.events(happenings).start();
        nodes.add(node);
        return node;
    }

    final void listen(QueueNode node) {
        for (int i = 1; i < LISTENERS; i++) {
            node.listen("idle" + i, ListenerOptions.DEFAULTS, deliveries -> null);
        }
        node.listen("t", ListenerOptions.DEFAULTS, deliveries -> null);
    }

    /** A separate sender with a direct connection and a long command timeout. */
    final QueueNode sender() {
        QueueNode sender = QueueNode.on(redis.port()).start();
        nodes.add(sender);
        return sender;
    }

    final void deliver(QueueNode sender, String id) {
        sender.template.send(message(id));
        awaitDelivered(id);
    }

    final void awaitDelivered(String id) {
        await().until(() -> happenings.count("acknowledged " + id) == 1);
    }

    static DelayMessage message(String id) {
        return DelayMessage.to("t").id(id).payload("").build();
    }

    final void assertQuiet(int lines) {
        List<String> told = log.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
        assertThat(told).hasSizeLessThanOrEqualTo(lines);
    }
}
