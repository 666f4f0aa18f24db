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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** All shards on one Redis. */
@EmbeddedRedis
class ShardedTopicTests extends ShardedTopicContract {

    private static final Duration LATER = Duration.ofHours(1);

    private final RedisServerProcess redis;
    private FaultProxy proxy;
    private ShardedQueue queue;

    ShardedTopicTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void connect() {
        redis.flush();
        proxy = FaultProxy.inFrontOf(redis);
        queue = new ShardedQueue(new LettuceConnectionFactory(proxy.host(), proxy.port()));
    }

    @AfterEach
    void disconnect() {
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
    void lose(byte[] key) {
        redis.command("DEL", new String(key, UTF_8));
    }

    @ParameterizedTest
    @ArgumentsSource(ShardCounts.class)
    void aVerbOfAKnownTopicIsOneRoundTrip(int shards) {
        Node process = queue.process(shards);
        for (int i = 0; i < 100; i++) {
            process.send("open" + i, LATER);
        }
        // makes Redis know the scripts
        process.has("open0");
        process.template().reschedule(TOPIC, "open0", LATER);
        process.template().cancel(TOPIC, "open0");
        process.admin().counts(TOPIC);
        assertRequests(1, () -> process.send("a", LATER));
        assertRequests(1, () -> process.has("a"));
        assertRequests(1, () -> process.template().reschedule(TOPIC, "a", LATER));
        assertRequests(1, () -> process.template().cancel(TOPIC, "a"));
        assertRequests(shards, () -> process.admin().counts(TOPIC));
        assertRequests(
                1,
                () -> process.template()
                        .sendAsync(ShardedQueue.message("b").delay(LATER).build())
                        .join());
    }

    private void assertRequests(int expected, Runnable action) {
        proxy.traffic().reset();
        action.run();
        assertThat(proxy.traffic().requests()).isEqualTo(expected);
    }

    /** Fails from its n-th script on. */
    private final class Dying implements ScriptRunner {

        private int left;

        Dying(int scripts) {
            this.left = scripts;
        }

        @Override
        public CompletableFuture<List<Object>> run(ScriptCall call) {
            return left-- <= 0
                    ? CompletableFuture.failedFuture(
                            new RedisCallException(Kind.NOT_SENT, "the process has ended", null))
                    : queue.scripts.run(call);
        }
    }

    /** One asks the registry, three look, three close, one takes the topic off the list. */
    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 7})
    void aDeletionThatDiesMidwayIsFinishedByTheNextOneOrUndoneBySends(int scripts) {
        for (boolean finished : new boolean[] {true, false}) {
            redis.flush();
            Node process = queue.process(3);
            process.send("x", LATER);
            process.template().cancel(TOPIC, "x");
            try {
                queue.process(ShardPlan.NONE, new Dying(scripts)).admin().deleteTopic(TOPIC);
            } catch (RuntimeException expected) {
                assertThat(expected).hasMessageContaining("the process has ended");
            }
            if (finished) {
                assertThat(queue.process().admin().deleteTopic(TOPIC)).isTrue();
                assertThat(shardKeys()).allMatch(key -> key.endsWith(":ended"));
                // then with any count
                queue.process(2).send("a", LATER);
                assertThat(queue.process().has("a")).isTrue();
            } else {
                // who says nothing, and who knew the topic, do not make another one of it
                Node newcomer = queue.process();
                for (int i = 0; i < 10; i++) {
                    newcomer.send("a" + i, LATER);
                    process.send("b" + i, LATER);
                }
                assertThat(newcomer.registry().shards(TOPIC).join()).hasSize(3);
                assertThat(queue.process().admin().counts(TOPIC).scheduled()).isEqualTo(20);
                for (int i = 0; i < 10; i++) {
                    assertThat(process.has("a" + i)).isTrue();
                    assertThat(newcomer.has("b" + i)).isTrue();
                }
            }
        }
    }

    /** Every message is there for another process, to be cancelled by a third one; each knows the topic from before. */
    private void sendAndCancel(int sender, int messages) {
        Node sending = queue.process();
        Node finding = queue.process();
        Node cancelling = queue.process();
        for (int i = 0; i < messages; i++) {
            String id = sender + "." + i;
            while (!sent(sending, id, i % 3)) {
                // rejected, as it was outrun twice: nothing was written
            }
            assertThat(finding.has(id)).as(id).isTrue();
            if (i < messages - 1) {
                assertThat(cancelling.template().cancel(TOPIC, id)).as(id).isEqualTo(CancelOutcome.CANCELLED);
                for (int looks = 0; looks < i % 80; looks++) {
                    assertThat(finding.has(id)).isFalse();
                }
            }
        }
    }

    private static boolean sent(Node sending, String id, int how) {
        DelayMessage message = ShardedQueue.message(id).delay(LATER).build();
        try {
            switch (how) {
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
    void whoeverRegistersATopicAnewWhileOthersSendLosesNothing() throws Exception {
        registerAnewWhileOthersSend(100);
    }

    @Test
    @Tag("soak")
    void whoeverRegistersATopicAnewWhileOthersSendMuchLosesNothing() throws Exception {
        registerAnewWhileOthersSend(400);
    }

    private void registerAnewWhileOthersSend(int sends) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> senders = IntStream.range(0, 3)
                    .<Future<?>>mapToObj(sender -> threads.submit(() -> sendAndCancel(sender, sends)))
                    .toList();
            int anew = 0;
            for (int i = 0; senders.stream().anyMatch(sender -> !sender.isDone()); i++) {
                Node operator = queue.process(List.of(2, 5, 1, 3).get(i % 4));
                try {
                    operator.admin().deleteTopic(TOPIC);
                    Await.call(() -> operator.registry().shards(TOPIC));
                    anew++;
                } catch (IllegalStateException | TopicConflictException | DelayQueueException outrun) {
                    assertThat(outrun).hasMessageContaining(TOPIC);
                }
            }
            for (Future<?> sender : senders) {
                sender.get(60, TimeUnit.SECONDS);
            }
            System.out.println("registered anew " + anew + " times");
            assertThat(anew).isGreaterThan(20);
            assertThat(queue.process().admin().counts(TOPIC).scheduled()).isEqualTo(3);
            for (int sender = 0; sender < 3; sender++) {
                assertThat(queue.process().has(sender + "." + (sends - 1))).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void anUnregisteredTopicIsEmptyAndStaysSo() {
        Node process = queue.process(8);
        assertThat(process.has("a")).isFalse();
        assertThat(process.admin().deadLetters(TOPIC, 5).deadLetters()).isEmpty();
        assertThat(process.admin().replayAll(TOPIC).replayed()).isZero();
        assertThat(process.admin().purgeAll(TOPIC)).isZero();
        assertThat(process.admin().deleteTopic(TOPIC)).isFalse();
        assertThat(process.inspector().topic(TOPIC)).isEmpty();
        assertThat(keys()).isEmpty();
    }
}
