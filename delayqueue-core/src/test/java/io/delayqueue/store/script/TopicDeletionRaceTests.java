package io.delayqueue.store.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.SendReply.Outcome;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.TopicNotEmptyException;
import io.delayqueue.store.bench.Calls;
import io.delayqueue.store.bench.ClientScripts;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many send while others delete the topic again and again, all at once on one Redis. {@link TopicDeletionTests} does it step by step. */
@Tag("long")
@Tag("core")
@EmbeddedRedis
class TopicDeletionRaceTests {

    private static final int SENDERS = 4;
    /** While who sends to several shards only looks so often, they may all be closed. */
    private static final int LOOKS = 60;

    private final RedisServerProcess redis;
    private final KeySpace keySpace = new KeySpace("dq");
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final AtomicBoolean done = new AtomicBoolean();
    private int shards;
    private int sends;
    private ClientScripts scripts;

    TopicDeletionRaceTests(RedisServerProcess redis) {
        this.redis = redis;
    }

    @BeforeEach
    void connect() {
        redis.flush();
        scripts = new ClientScripts(redis.port());
    }

    @AfterEach
    void disconnect() {
        done.set(true);
        scripts.close();
        executor.shutdownNow();
    }

    private Shard shardOf(String id) {
        return Shard.of("orders", id, shards);
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
        for (int i = 0; i < sends; i++) {
            String id = sender + "." + i;
            Outcome outcome = send(sending, List.of(Sends.after(id, 60_000)), i % 2 == 0);
            assertThat(outcome).as(id).isEqualTo(Outcome.ACCEPTED);
            assertThat(registry().freshShards("orders").join().isPresent())
                    .as(id + " stands in a registered topic")
                    .isTrue();
            if (i < sends - 1) {
                assertThat(Calls.cancel(cancelling, shardOf(id), id)).as(id).isEqualTo(CancelOutcome.CANCELLED);
                for (int looks = 0; shards > 1 && looks < i % LOOKS; looks++) {
                    assertThat(Await.result(cancelling.find(shardOf(id), id))).isEmpty();
                }
            }
        }
    }

    /** Who is outrun by the deleters again and again is told so, and nothing was written: he tries again. */
    private Outcome send(MessageStore store, List<OutgoingMessage> message, boolean blocking) {
        Shard shard = shardOf(message.get(0).id());
        while (true) {
            try {
                List<SendReply> reply = blocking
                        ? Calls.send(store, shard, message)
                        : store.send(shard, message, Durability.NONE).join();
                return reply.get(0).outcome();
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
            } catch (TopicNotEmptyException | TopicConflictException expected) {
                assertThat(expected).hasMessageContaining("orders");
            }
        }
        return deleted;
    }

    /** Of one shard a topic is seldom found empty, of several often. */
    @ParameterizedTest
    @CsvSource({"1, 800", "3, 400"})
    void concurrentDeletionsLoseNoMessageAndLeaveNoneInAnUnregisteredTopic(int count, int each) throws Exception {
        shards = count;
        sends = each;
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
            sender.get(300, TimeUnit.SECONDS);
        }
        done.set(true);
        int deleted = 0;
        for (Future<Integer> deleter : deleters) {
            deleted += deleter.get(60, TimeUnit.SECONDS);
        }
        System.out.println("deletions of " + shards + " shards: " + deleted);
        assertThat(deleted).as("deletions in between").isGreaterThan(20);
        for (int i = 0; i < SENDERS; i++) {
            String last = i + "." + (sends - 1);
            assertThat(Await.result(store().find(shardOf(last), last))).isPresent();
        }
        assertThat(registry().topics().join()).containsExactly("orders");
        assertThat(Shard.all("orders", shards).stream()
                        .mapToLong(shard ->
                                Await.result(store().count(shard)).counts().scheduled())
                        .sum())
                .isEqualTo(SENDERS);
    }
}
