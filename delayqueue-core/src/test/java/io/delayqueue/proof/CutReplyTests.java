package io.delayqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.container.Happenings;
import io.delayqueue.container.Pacing;
import io.delayqueue.container.QueueNode;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.RetryDecision.RetryAfter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Shard;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisRequest;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Under load, each poll is executed twice because its first reply is lost. */
@EmbeddedRedis
@Tag("long")
@Tag("core")
class CutReplyTests {

    private static final int MESSAGES = 1000;
    private static final String POLL_KEYS = "9";

    private final RedisServerProcess redis;
    private final Ledger ledger = new Ledger();
    private final Happenings events = new Happenings();
    private final List<QueueNode> nodes = new ArrayList<>();
    private FaultProxy proxy;

    CutReplyTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void start() {
        redis.flush();
        proxy = FaultProxy.inFrontOf(redis);
        for (int i = 0; i < 2; i++) {
            nodes.add(new QueueNode(proxy.port(), Pacing.builtIn().settings(), ledger, events));
        }
    }

    @AfterEach
    void stop() {
        proxy.pass();
        nodes.forEach(QueueNode::close);
        proxy.close();
    }

    @Test
    void lostPollRepliesLoseNoMessagesAndLeaveNoLeases() {
        proxy.cutFirstReplies(CutReplyTests::isPoll);
        ListenerOptions options = ListenerOptions.DEFAULTS.toBuilder()
                .lease(Duration.ofMinutes(5))
                .maxAttempts(2)
                .retryPolicy(failed -> new RetryAfter(Duration.ofMillis(20)))
                .build();
        nodes.forEach(node -> node.listen("t", options, this::handle));
        QueueNode sender = new QueueNode(redis.port(), Pacing.builtIn().settings());
        nodes.add(sender);
        send(sender);

        await().atMost(Duration.ofSeconds(60)).until(() -> ledger.settled() >= MESSAGES);
        await().until(() -> live().isEmpty());
        ledger.check(live(), deadLetters(sender));
        System.out.println("polls executed twice: " + proxy.traffic().requests("EVALSHA") / 2);
        assertThat(events.of("reclaimed")).isEmpty();
        assertThat(events.of("deadLettered")).hasSize(MESSAGES / 20).doesNotHaveDuplicates();
        assertThat(events.of("gone")).isEmpty();
        assertThat(events.of("acknowledged")).doesNotHaveDuplicates();
    }

    private void send(QueueNode sender) {
        for (int from = 0; from < MESSAGES; from += 50) {
            List<DelayMessage> batch = new ArrayList<>();
            for (int i = from; i < from + 50; i++) {
                ledger.sent("m" + i);
                batch.add(DelayMessage.to("t")
                        .id("m" + i)
                        .payload("")
                        .delay(Duration.ofMillis(5L * i))
                        .build());
            }
            sender.template.sendAll(batch);
        }
    }

    private @Nullable CompletionStage<?> handle(List<Delivery> deliveries) {
        Delivery delivery = deliveries.get(0);
        ledger.handlerStarted(delivery);
        try {
            int number = Integer.parseInt(delivery.id().substring(1));
            if (number % 20 == 0 || (number % 20 == 1 && delivery.attempt() == 1)) {
                throw new IllegalStateException("on purpose");
            }
            return null;
        } finally {
            ledger.handlerEnded(delivery);
        }
    }

    private static boolean isPoll(RedisRequest request) {
        return request.isScript() && request.arguments().get(1).equals(POLL_KEYS);
    }

    private Set<String> live() {
        Set<String> live = new HashSet<>();
        for (String key : List.of("messages", "deliveries")) {
            ((List<?>) redis.command("HKEYS", "dq:{t:0.0}:" + key)).forEach(name -> live.add(name.toString()));
        }
        live.removeIf(name -> name.startsWith("~~~"));
        return live;
    }

    private static Set<String> deadLetters(QueueNode node) {
        Set<String> ids = new HashSet<>();
        node.store
                .awaitDeadLetters(Shard.single("t"), new DeadLetterQuery.Page(null, 0, 500))
                .forEach(deadLetter -> ids.add(deadLetter.messageId()));
        return ids;
    }
}
