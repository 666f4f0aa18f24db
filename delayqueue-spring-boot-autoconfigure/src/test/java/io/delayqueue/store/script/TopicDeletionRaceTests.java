package io.delayqueue.store.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.QueueConnections;
import io.delayqueue.redis.RedisScripts;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicNotEmptyException;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Many send while others delete the topic again and again, all at once on one Redis. */
@EmbeddedRedis
class TopicDeletionRaceTests {

    private static final Shard SHARD = Shard.single("orders");
    private static final int SENDERS = 4;
    private static final int SENDS = 800;

    private final RedisServerProcess redis;
    private final KeySpace keySpace = new KeySpace("dq");
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final AtomicBoolean done = new AtomicBoolean();
    private LettuceConnectionFactory application;
    private QueueConnections connections;
    private ScriptRunner scripts;

    TopicDeletionRaceTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void connect() {
        redis.flush();
        application = new LettuceConnectionFactory("127.0.0.1", redis.port());
        application.afterPropertiesSet();
        application.start();
        connections =
                new QueueConnections(application, QueueConnections.Settings.defaults(), executor, System::nanoTime);
        scripts = new RedisScripts(connections);
    }

    @AfterEach
    void disconnect() {
        done.set(true);
        connections.close();
        application.destroy();
        executor.shutdownNow();
    }

    private TopicRegistry registry() {
        return new TopicRegistry(scripts, keySpace);
    }

    private MessageStore store() {
        return new RedisMessageStore(scripts, keySpace, registry());
    }

    /** Each message is accepted, its topic known, and it is there to be cancelled by a process that used the topic before. */
    private void send(int sender) {
        MessageStore sending = store();
        MessageStore cancelling = store();
        for (int i = 0; i < SENDS; i++) {
            String id = sender + "." + i;
            Outcome outcome = send(sending, List.of(Sends.after(id, 60_000)), i % 2 == 0);
            assertThat(outcome).as(id).isEqualTo(Outcome.ACCEPTED);
            assertThat(registry().isRegistered("orders"))
                    .as(id + " stands in a registered topic")
                    .isTrue();
            if (i < SENDS - 1) {
                assertThat(cancelling.cancel(SHARD, id)).as(id).isEqualTo(CancelOutcome.CANCELLED);
            }
        }
    }

    /** Who is outrun by the deleters again and again is told so, and nothing was written: he tries again. */
    private static Outcome send(MessageStore store, List<OutgoingMessage> message, boolean blocking) {
        while (true) {
            try {
                SendReply reply = blocking
                        ? store.send(SHARD, message)
                        : store.sendAsync(SHARD, message).join();
                return reply.results().get(0).outcome();
            } catch (TopicConflictException outrun) {
                assertThat(outrun).hasMessageContaining("Nothing was written");
            } catch (CompletionException e) {
                assertThat(e.getCause())
                        .isInstanceOf(TopicConflictException.class)
                        .hasMessageContaining("Nothing was written");
            }
        }
    }

    /** Every other one by a process that knows nothing yet. */
    private int delete() {
        TopicDeletion deletion = new TopicDeletion(scripts, keySpace, registry());
        int deleted = 0;
        for (int i = 0; !done.get(); i++) {
            try {
                deleted += (i % 2 == 0 ? deletion : new TopicDeletion(scripts, keySpace, registry())).delete("orders")
                        ? 1
                        : 0;
            } catch (TopicNotEmptyException expected) {
                assertThat(expected).hasMessageContaining("orders");
            }
        }
        return deleted;
    }

    @Test
    void whoeverDeletesNoMessageIsLostAndNoneStandsInATopicThatNobodyKnows() throws Exception {
        List<Future<Integer>> deleters = List.of(executor.submit(this::delete), executor.submit(this::delete));
        List<Future<?>> senders = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
            int sender = i;
            Callable<Void> sending = () -> {
                send(sender);
                return null;
            };
            senders.add(executor.submit(sending));
        }
        for (Future<?> sender : senders) {
            sender.get(120, TimeUnit.SECONDS);
        }
        done.set(true);
        int deleted = 0;
        for (Future<Integer> deleter : deleters) {
            deleted += deleter.get(30, TimeUnit.SECONDS);
        }
        assertThat(deleted).as("deletions in between").isGreaterThan(20);
        for (int i = 0; i < SENDERS; i++) {
            assertThat(store().find(SHARD, i + "." + (SENDS - 1))).isPresent();
        }
        assertThat(registry().topics()).containsExactly("orders");
        assertThat(store().count(SHARD).scheduled()).isEqualTo(SENDERS);
    }
}
