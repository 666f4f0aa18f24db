package io.delayqueue.sharding;

import static io.delayqueue.sharding.ShardedQueue.TOPIC;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.sharding.ShardedQueue.Node;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.template.DelayQueueException;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Runs the contract on one Redis. */
@EmbeddedRedis
class ShardedTopicTests extends ShardedTopicContract {

    private static final Duration LATER = Duration.ofHours(1);

    private final RedisServerProcess redis;
    private static FaultProxy proxy;
    private static ShardedQueue queue;

    ShardedTopicTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeAll
    static void connect(RedisServerProcess redis) {
        proxy = FaultProxy.inFrontOf(redis);
        queue = new ShardedQueue(new LettuceConnectionFactory(proxy.host(), proxy.port()));
    }

    @BeforeEach
    void flush() {
        redis.flush();
    }

    @AfterAll
    static void disconnect() {
        queue.close();
        proxy.close();
    }

    @Override
    ShardedQueue queue() {
        return queue;
    }

    @Override
    Set<String> keys() {
        return ((List<?>) redis.command("KEYS", "*"))
                .stream().map(String::valueOf).collect(Collectors.toSet());
    }

    @Override
    void loseKey(byte[] key) {
        redis.command("DEL", new String(key, UTF_8));
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void operationOnAKnownTopicTakesOneRoundTrip(int shards) {
        Node node = queue.node(shards);
        for (int i = 0; i < 100; i++) {
            node.send("open" + i, LATER);
        }
        // loads the scripts into Redis
        node.has("open0");
        node.template().reschedule(TOPIC, "open0", LATER);
        node.template().cancel(TOPIC, "open0");
        node.admin().counts(TOPIC);
        assertRequests(1, () -> node.send("a", LATER));
        assertRequests(1, () -> node.has("a"));
        assertRequests(1, () -> node.template().reschedule(TOPIC, "a", LATER));
        assertRequests(1, () -> node.template().cancel(TOPIC, "a"));
        assertRequests(shards, () -> node.admin().counts(TOPIC));
        assertRequests(
                1,
                () -> node.template()
                        .sendAsync(ShardedQueue.message("b").delay(LATER).build())
                        .join());
    }

    private void assertRequests(int expected, Runnable action) {
        proxy.traffic().reset();
        action.run();
        assertThat(proxy.traffic().requests()).isEqualTo(expected);
    }

    /** Runs a number of scripts, then fails. */
    private final class FailingRunner implements ScriptRunner {

        private int left;

        FailingRunner(int scripts) {
            this.left = scripts;
        }

        @Override
        public CompletableFuture<List<Object>> run(ScriptCall call) {
            return left-- <= 0
                    ? CompletableFuture.failedFuture(new RedisCallException(Kind.NOT_SENT, "the node has ended", null))
                    : queue.scripts.run(call);
        }
    }

    /**
     * A deletion runs one script to look up the topic, three to read, three to close shards and one to unregister the
     * topic.
     */
    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 7})
    void interruptedDeletionIsCompletedByTheNextOneOrRevertedBySends(int scripts) {
        for (boolean finished : new boolean[] {true, false}) {
            redis.flush();
            Node node = queue.node(3);
            node.send("x", LATER);
            node.template().cancel(TOPIC, "x");
            try {
                queue.node(ShardPlan.NONE, new FailingRunner(scripts)).admin().deleteTopic(TOPIC);
            } catch (RuntimeException expected) {
                assertThat(expected).hasMessageContaining("the node has ended");
            }
            if (finished) {
                assertThat(queue.node().admin().deleteTopic(TOPIC)).isTrue();
                assertThat(shardKeys()).allMatch(key -> key.endsWith(":ended"));
                // a deleted topic can be registered with another shard count
                queue.node(2).send("a", LATER);
                assertThat(queue.node().has("a")).isTrue();
            } else {
                // sends by a node without a configured count and by a node that knows the topic keep the shard count
                Node newcomer = queue.node();
                for (int i = 0; i < 10; i++) {
                    newcomer.send("a" + i, LATER);
                    node.send("b" + i, LATER);
                }
                assertThat(newcomer.registry().shards(TOPIC).join()).hasSize(3);
                assertThat(queue.node().admin().counts(TOPIC).scheduled()).isEqualTo(20);
                for (int i = 0; i < 10; i++) {
                    assertThat(node.has("a" + i)).isTrue();
                    assertThat(newcomer.has("b" + i)).isTrue();
                }
            }
        }
    }

    /**
     * Each message is sent by one node, found by a second, and cancelled by a third. All cache the topic registration.
     */
    private void sendAndCancel(int sender, int messages) {
        Node sending = queue.node();
        Node finding = queue.node();
        Node cancelling = queue.node();
        for (int i = 0; i < messages; i++) {
            String id = sender + "." + i;
            while (!sent(sending, id, i % 3)) {
                // rejected without a write: the topic was registered again twice during the send
            }
            assertThat(finding.has(id)).as(id).isTrue();
            if (i < messages - 1) {
                assertThat(cancelling.template().cancel(TOPIC, id)).as(id).isEqualTo(CancelOutcome.CANCELLED);
                for (int reads = 0; reads < i % 40; reads++) {
                    assertThat(finding.has(id)).isFalse();
                }
            }
        }
    }

    private static boolean sent(Node sending, String id, int variant) {
        DelayMessage message = ShardedQueue.message(id).delay(LATER).build();
        try {
            switch (variant) {
                case 0 -> sending.template().send(message);
                case 1 -> sending.template().sendAsync(message).join();
                default -> sending.template().sendAll(List.of(message));
            }
            return true;
        } catch (DelayQueueException | CompletionException e) {
            assertThat(e).hasStackTraceContaining("Nothing was written");
            return false;
        }
    }

    @Test
    @Tag("long")
    @Tag("core")
    void registeringATopicAgainDuringSendsLosesNoMessage() throws Exception {
        int sends = 300;
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> senders = IntStream.range(0, 3)
                    .<Future<?>>mapToObj(sender -> threads.submit(() -> sendAndCancel(sender, sends)))
                    .toList();
            int registrations = 0;
            for (int i = 0; senders.stream().anyMatch(sender -> !sender.isDone()); i++) {
                Node operator = queue.node(List.of(2, 5, 1, 3).get(i % 4));
                try {
                    operator.admin().deleteTopic(TOPIC);
                    Await.call(() -> operator.registry().shards(TOPIC));
                    registrations++;
                } catch (IllegalStateException | TopicConflictException | DelayQueueException conflict) {
                    assertThat(conflict).hasMessageContaining(TOPIC);
                }
            }
            for (Future<?> sender : senders) {
                sender.get(300, TimeUnit.SECONDS);
            }
            System.out.println("registered again " + registrations + " times");
            assertThat(registrations).isGreaterThan(20);
            assertThat(queue.node().admin().counts(TOPIC).scheduled()).isEqualTo(3);
            for (int sender = 0; sender < 3; sender++) {
                assertThat(queue.node().has(sender + "." + (sends - 1))).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void readingAnUnregisteredTopicDoesNotRegisterIt() {
        Node node = queue.node(8);
        assertThat(node.has("a")).isFalse();
        assertThat(node.admin().deadLetters(TOPIC, 5).deadLetters()).isEmpty();
        assertThat(node.admin().deleteTopic(TOPIC)).isFalse();
        assertThat(node.inspector().topic(TOPIC)).isEmpty();
        assertThat(keys()).isEmpty();
    }
}
