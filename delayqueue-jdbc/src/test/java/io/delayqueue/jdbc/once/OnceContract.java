package io.delayqueue.jdbc.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.once.OnceNode.Behaviour;
import io.delayqueue.jdbc.once.OnceNode.Listeners;
import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Rules of listeners with once, on any database. The tests share an application, which has a listener of each kind; its topic
 * and its id have the same name. Each test sets what the listeners do.
 */
@EmbeddedRedis
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnceContract {

    private RedisServerProcess redis;
    private final String namespace = UUID.randomUUID().toString();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private OnceDatabase database;
    private OnceNode node;
    /** The id of the message of a test. */
    private String m;

    /** Creates an empty database whose sessions wait for locks at least 20 s. */
    abstract OnceDatabase newDatabase();

    @BeforeAll
    void start(RedisServerProcess server) {
        redis = server;
        database = newDatabase();
        node = OnceNode.start(
                redis.port(),
                namespace,
                database,
                Listeners.class,
                Behaviour.EFFECT,
                "test.database-fails=true",
                "delayqueue.listener.lease=1h",
                "delayqueue.once.clean-up-interval=1s",
                "delayqueue.once.retention=25h");
    }

    @AfterAll
    void stop() {
        node.close();
    }

    @BeforeEach
    void empty() {
        m = "m-" + UUID.randomUUID();
        database.empty();
        node.seen.clear();
        node.behave(Behaviour.EFFECT);
    }

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
        opened.clear();
    }

    private void send(String topic, String... ids) {
        for (String id : ids) {
            node.delayQueue().send(DelayMessage.to(topic).id(id).payload("p").build());
        }
    }

    private void sendOnce(String topic, String id) {
        node.delayQueue()
                .send(DelayMessage.to(topic).id(id).maxAttempts(1).payload("p").build());
    }

    private DelayMessage withNonce(String topic) {
        return DelayMessage.to(topic).id(m).nonce("n1").payload("p").build();
    }

    private void awaitAcknowledged(String... ids) {
        await().untilAsserted(() -> assertThat(node.seen.acknowledged).containsExactlyInAnyOrder(ids));
    }

    private static void awaitOpen(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends the lease and schedules the message, as a sweep does with a lease that was not renewed. */
    private void loseLease(String topic, String id) {
        String shard = namespace + ":{" + topic + ":0.0}:";
        redis.command("ZREM", shard + "leases", id);
        redis.command("ZADD", shard + "schedule", "1", id);
    }

    // ---- repeated deliveries ---------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"plain", "joining"})
    void aMessageWhoseLeaseEndsAfterTheCommitIsNotHandledAgain(String topic) {
        AtomicInteger calls = new AtomicInteger();
        node.behave(Behaviour.single((effects, delivery) -> {
            calls.incrementAndGet();
            effects.add(delivery);
        }));
        CountDownLatch acknowledged = new CountDownLatch(1);
        AtomicInteger deliveries = new AtomicInteger();
        node.afterwards(delivery -> {
            if (deliveries.incrementAndGet() == 1) {
                loseLease(topic, delivery.id());
                awaitOpen(acknowledged);
            }
        });
        double before = node.suppressedMeter(topic);
        send(topic, m);
        awaitAcknowledged(m);
        acknowledged.countDown();

        assertThat(node.seen.suppressed).containsExactly(m);
        assertThat(node.suppressedMeter(topic)).isEqualTo(before + 1);
        assertThat(calls).hasValue(1);
        assertThat(database.effects()).isEqualTo(1);
    }

    @Test
    void anOverlappingDeliveryWaitsForTheFirstAndIsSuppressed() {
        AtomicInteger calls = overlap((effects, delivery) -> effects.add(delivery));
        awaitAcknowledged(m);

        assertThat(node.seen.suppressed).containsExactly(m);
        assertThat(calls).hasValue(1);
        assertThat(database.effects()).isEqualTo(1);
    }

    @Test
    void anOverlappingDeliveryIsHandledIfTheFirstIsRolledBack() {
        AtomicInteger calls = overlap((effects, delivery) -> {
            effects.add(delivery);
            throw new IllegalStateException("on purpose");
        });
        awaitAcknowledged(m);

        assertThat(node.seen.suppressed).isEmpty();
        assertThat(calls).hasValue(2);
        assertThat(database.effects()).isEqualTo(1);
        assertThat(database.handled()).isEqualTo(1);
    }

    /**
     * The lease of the first delivery ends while its transaction, which has inserted its row, is open. The message is delivered
     * again. When the second delivery waits for the row, the first one continues.
     */
    private AtomicInteger overlap(Behaviour.Single first) {
        AtomicInteger calls = new AtomicInteger();
        node.behave(Behaviour.single((effects, delivery) -> {
            if (calls.incrementAndGet() > 1) {
                effects.add(delivery);
                return;
            }
            loseLease("plain", m);
            // MariaDB computes its list of transactions anew only if it was not read for 100 ms
            await().pollInterval(Duration.ofMillis(200)).until(() -> database.blockedInserts() == 1);
            assertThat(node.seen.started).containsExactly(m, m);
            assertThat(node.seen.suppressed).isEmpty();
            assertThat(calls).hasValue(1);
            first.handle(effects, delivery);
        }));
        send("plain", m);
        return calls;
    }

    @Test
    void aRepeatOfASendIsSuppressed() {
        DelayMessage message = withNonce("plain");
        node.delayQueue().send(message);
        awaitAcknowledged(m);

        node.delayQueue().send(message);
        awaitAcknowledged(m, m);

        assertThat(node.seen.suppressed).containsExactly(m);
        assertThat(database.effects()).isEqualTo(1);
    }

    // ---- deliveries that are no repeats ----------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(longs = {0, 5})
    void anIdThatIsSentAgainIsHandledAgain(long version) {
        DelayMessage.Builder message = DelayMessage.to("plain").id(m).payload("p");
        DelayMessage sent = (version == 0 ? message : message.version(version)).build();
        node.delayQueue().send(sent);
        awaitAcknowledged(m);

        node.delayQueue().send(sent);
        awaitAcknowledged(m, m);

        assertThat(database.effects()).isEqualTo(2);
        assertThat(database.handled()).isEqualTo(2);
        assertThat(node.seen.suppressed).isEmpty();
    }

    @Test
    void idsThatDifferInCaseOrBlanksAreDifferentMessages() {
        String[] ids = {"m", "M", "m ", "ｍ", "m\u0000", "m\n", "é", "e\u0301", "x".repeat(256), "😀".repeat(64)};
        send("plain", ids);
        awaitAcknowledged(ids);

        assertThat(database.effects()).isEqualTo(ids.length);
        assertThat(database.handled()).isEqualTo(ids.length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "joining", "self-invoking"})
    void aFailedAttemptIsRolledBackAndRetried(String topic) {
        node.behave(Behaviour.single((effects, delivery) -> {
            effects.add(delivery);
            if (delivery.attempt() < 3) {
                throw new IllegalArgumentException("for which the transaction of joining does not roll back");
            }
        }));
        send(topic, m);
        awaitAcknowledged(m);

        assertThat(node.seen.retried).containsExactly(m, m);
        assertThat(node.seen.suppressed).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
        assertThat(database.handled()).isEqualTo(1);
    }

    @Test
    void aReplayedDeadLetterIsHandled() {
        AtomicBoolean repaired = new AtomicBoolean();
        node.behave(Behaviour.single((effects, delivery) -> {
            effects.add(delivery);
            if (!repaired.get()) {
                throw new IllegalStateException("on purpose");
            }
        }));
        sendOnce("plain", m);
        await().until(() -> node.seen.dead.contains(m + " ATTEMPTS_SPENT"));
        assertThat(database.effects()).isZero();

        repaired.set(true);
        replay("plain");
        awaitAcknowledged(m);

        assertThat(node.seen.suppressed).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
    }

    @Test
    void aReplayedDeadLetterIsSuppressedIfItsTransactionIsCommitted() {
        sendOnce("failing", m);
        await().until(() -> node.seen.dead.contains(m + " ATTEMPTS_SPENT"));
        assertThat(database.effects()).isEqualTo(1);

        replay("failing");
        await().until(() -> node.seen.dead.size() == 2);

        assertThat(node.seen.suppressed).containsExactly(m);
        assertThat(database.effects()).isEqualTo(1);
    }

    private void replay(String topic) {
        assertThat(node.admin().replay(topic, deadLetter(topic).deadLetterId())).isEqualTo(ReplayOutcome.REPLAYED);
    }

    private DeadLetter deadLetter(String topic) {
        return node.admin().deadLetters(topic, 100).deadLetters().stream()
                .filter(each -> each.messageId().equals(m))
                .findFirst()
                .orElseThrow();
    }

    // ---- batches ---------------------------------------------------------------------------------------------------

    @Test
    void aBatchIsOneTransaction() {
        AtomicInteger calls = new AtomicInteger();
        node.behave((effects, deliveries) -> {
            deliveries.forEach(effects::add);
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("on purpose");
            }
        });
        String[] ids = sendTogether("a", "b", "c");
        awaitAcknowledged(ids);

        assertThat(node.seen.retried).containsExactlyInAnyOrder(ids);
        assertThat(node.seen.suppressed).isEmpty();
        assertThat(database.effects()).isEqualTo(3);
        assertThat(database.handled()).isEqualTo(3);
    }

    @Test
    void aFailureOfOneMessageFailsItsBatch() {
        AtomicInteger calls = new AtomicInteger();
        List<String> failures = new ArrayList<>();
        node.behave((effects, deliveries) -> {
            deliveries.forEach(effects::add);
            if (calls.incrementAndGet() == 1) {
                throw new BatchFailureException("one").failed("b", new IllegalStateException("on purpose"));
            }
            deliveries.forEach(delivery -> failures.add(delivery.lastFailure()));
        });
        String[] ids = sendTogether("a", "b", "c");
        awaitAcknowledged(ids);

        assertThat(node.seen.retried).containsExactlyInAnyOrder(ids);
        assertThat(database.effects()).isEqualTo(3);
        assertThat(failures)
                .filteredOn(failure -> failure.contains("Rolled back with its batch, because message b failed"))
                .hasSize(2);
        assertThat(failures).anyMatch(failure -> failure.contains("on purpose"));
    }

    @Test
    void handledMessagesAreOmittedFromABatch() {
        List<List<String>> calls = new ArrayList<>();
        node.behave((effects, deliveries) -> {
            calls.add(deliveries.stream().map(Delivery::id).toList());
            deliveries.forEach(effects::add);
            if (calls.size() == 2) {
                throw new IllegalStateException("on purpose");
            }
        });
        DelayMessage handled =
                DelayMessage.to("batch").id("a").nonce("n").payload("p").build();
        node.delayQueue().send(handled);
        awaitAcknowledged("a");

        node.listener("batch").pause();
        await().until(node.listener("batch")::isPaused);
        node.delayQueue().send(handled);
        send("batch", "b", "c");
        node.listener("batch").resume();
        awaitAcknowledged("a", "a", "b", "c");

        assertThat(calls.get(1)).containsExactly("b", "c");
        assertThat(node.seen.suppressed).containsExactly("a");
        assertThat(node.seen.retried).containsExactlyInAnyOrder("b", "c");
        assertThat(database.effects()).isEqualTo(3);
    }

    private String[] sendTogether(String... ids) {
        node.listener("batch").pause();
        await().until(node.listener("batch")::isPaused);
        send("batch", ids);
        node.listener("batch").resume();
        return ids;
    }

    // ---- the handler -----------------------------------------------------------------------------------------------

    @Test
    void aSettlementByTheHandlerIsRejected() {
        node.behave(Behaviour.single((effects, delivery) -> {
            effects.add(delivery);
            assertThat(delivery.acknowledgement().extendLease(Duration.ofSeconds(30)))
                    .succeedsWithin(Duration.ofSeconds(60));
            assertThat(delivery.acknowledgement().postpone(Duration.ofSeconds(1)))
                    .isNotNull();
        }));
        sendOnce("plain", m);
        await().until(() -> node.seen.dead.contains(m + " ATTEMPTS_SPENT"));

        assertThat(deadLetter("plain").failure())
                .asString()
                .contains("A listener with once settles a message by returning or throwing.");
        assertThat(database.effects()).isZero();
    }

    @Test
    void aFailureAfterTheCommitDoesNotFailTheAttempt() {
        node.behave(Behaviour.single((effects, delivery) -> {
            effects.add(delivery);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    throw new IllegalStateException("on purpose");
                }
            });
        }));
        send("joining", m);
        awaitAcknowledged(m);

        assertThat(node.seen.retried).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
    }

    @Test
    void aTransactionThatIsMarkedForRollbackFailsTheAttempt() {
        node.behave(Behaviour.single((effects, delivery) -> {
            effects.add(delivery);
            if (delivery.attempt() == 1) {
                TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
            }
        }));
        send("joining", m);
        awaitAcknowledged(m);

        assertThat(node.seen.retried).containsExactly(m);
        assertThat(node.seen.suppressed).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
    }

    @Test
    void aTransactionOfAnInterceptorIsSuspended() {
        DelayMessage message = withNonce("in-transaction");
        node.delayQueue().send(message);
        awaitAcknowledged(m);
        node.delayQueue().send(message);
        awaitAcknowledged(m, m);

        assertThat(node.seen.suppressed).containsExactly(m);
        assertThat(node.seen.retried).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
    }

    @Test
    void attemptsDoNotCountWhileTheDatabaseIsUnavailable() {
        OnceNode.FailingDataSource source = node.application.getBean(OnceNode.FailingDataSource.class);
        source.fails = true;
        sendOnce("plain", m);
        await().until(() -> node.seen.released.contains(m));
        assertThat(node.listener("plain").status().unavailable()).asString().contains("The database of listener plain");

        source.fails = false;
        awaitAcknowledged(m);

        assertThat(node.seen.dead).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
    }

    // ---- clean-up --------------------------------------------------------------------------------------------------

    @Test
    void expiredRowsAreRemovedAThousandAtATime() {
        OnceDatabase other = newDatabase();
        HandledMessages table = new HandledMessages(other.jdbc().getDataSource(), "delayqueue_handled");
        other.insertRows(2500, 0);
        other.insertRows(3, Long.MAX_VALUE);

        assertThat(table.deleteOlderThan(Duration.ofDays(1))).isEqualTo(1000);
        assertThat(other.handled()).isEqualTo(1503);
        assertThat(table.deleteOlderThan(Duration.ofDays(1))).isEqualTo(1000);
        assertThat(table.deleteOlderThan(Duration.ofDays(1))).isEqualTo(500);
        assertThat(table.deleteOlderThan(Duration.ofDays(1))).isZero();
        assertThat(other.handled()).isEqualTo(3);
    }

    @Test
    void nodesRemoveExpiredRowsAndKeepOthers() {
        send("plain", m);
        awaitAcknowledged(m);
        database.insertRows(10, 0);

        await().until(() -> database.handled() == 1);
    }

    // ---- invariant -------------------------------------------------------------------------------------------------

    /** Of a hundred messages, some fail before or after the effect or after the commit, and some are delivered twice. */
    @Test
    void eachMessageHasOneEffectWhateverFails() {
        int count = 100;
        Set<String> failed = ConcurrentHashMap.newKeySet();
        node.behave(Behaviour.single((effects, delivery) -> {
            String id = delivery.id();
            boolean first = failed.add(id);
            if (first && id.endsWith("1")) {
                throw new IllegalStateException("before the effect");
            }
            if (first && id.endsWith("2")) {
                loseLease("plain", id);
            }
            effects.add(delivery);
            if (first && id.endsWith("3")) {
                throw new IllegalStateException("after the effect");
            }
        }));
        node.afterwards(delivery -> {
            if (delivery.id().endsWith("4") && failed.add("committed " + delivery.id())) {
                throw new IllegalStateException("after the commit");
            }
        });
        node.delayQueue().sendAll(messages("plain", count));

        await().until(() -> isEmpty(node, "plain"));

        assertOneEffectEach(database, count);
        assertThat(node.seen.suppressed.stream().filter(id -> id.endsWith("4"))).hasSize(count / 10);
        assertThat(node.seen.dead).isEmpty();
    }

    private static List<DelayMessage> messages(String topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> DelayMessage.to(topic).id("m" + i).payload("p").build())
                .toList();
    }

    private static void assertOneEffectEach(OnceDatabase database, int count) {
        assertThat(database.effects()).isEqualTo(count);
        assertThat(database.jdbc().queryForObject("select count(distinct message_id) from effects", Integer.class))
                .isEqualTo(count);
        assertThat(database.handled()).isEqualTo(count);
    }

    private static boolean isEmpty(OnceNode node, String topic) {
        TopicCounts counts = node.admin().counts(topic);
        return counts.scheduled() + counts.ready() + counts.leased() == 0;
    }

    // ---- two nodes -------------------------------------------------------------------------------------------------

    @Tag("long")
    @Tag("jdbc")
    @Test
    void eachMessageOfTwoNodesHasOneEffectWhateverFails() {
        int count = 3000;
        String space = UUID.randomUUID().toString();
        OnceDatabase shared = newDatabase();
        FaultProxy proxy = FaultProxy.inFrontOf(redis);
        opened.add(proxy);
        OnceNode first = startFaulty(space, shared, proxy.port());
        OnceNode second = startFaulty(space, shared, redis.port());
        first.delayQueue().sendAll(messages("plain", count));

        Random random = new Random(1);
        for (int cuts = 0; cuts < 5; cuts++) {
            int target = count * (cuts + 1) / 7;
            await().atMost(Duration.ofSeconds(100)).until(() -> shared.handled() >= target);
            if (random.nextBoolean()) {
                proxy.disconnect();
            } else {
                proxy.cut();
                await().pollDelay(Duration.ofMillis(300)).until(() -> true);
                proxy.pass();
            }
        }
        await().atMost(Duration.ofSeconds(100)).until(() -> isEmpty(second, "plain"));

        assertOneEffectEach(shared, count);
        System.out.println(getClass().getSimpleName() + ": suppressed "
                + (first.seen.suppressed.size() + second.seen.suppressed.size()) + ", retried "
                + (first.seen.retried.size() + second.seen.retried.size()) + ", deliveries "
                + (first.seen.started.size() + second.seen.started.size()) + " of " + count + " messages");
        assertThat(first.seen.suppressed.size() + second.seen.suppressed.size()).isPositive();
        assertThat(first.seen.dead).isEmpty();
        assertThat(second.seen.dead).isEmpty();
    }

    /** Applications with short leases on a database of their own. The first one's connection to Redis has a proxy. */
    private OnceNode startFaulty(String space, OnceDatabase shared, int port) {
        Set<String> overlapped = ConcurrentHashMap.newKeySet();
        OnceNode started = OnceNode.start(
                port,
                space,
                shared,
                Listeners.class,
                Behaviour.single((effects, delivery) -> {
                    int fate = ThreadLocalRandom.current().nextInt(100);
                    if (fate < 5) {
                        throw new IllegalStateException("before the effect");
                    }
                    if (fate < 15 && overlapped.add(delivery.id())) {
                        redis.command("ZADD", space + ":{plain:0.0}:leases", "XX", "1", delivery.id());
                    }
                    effects.add(delivery);
                    if (fate >= 90) {
                        throw new IllegalStateException("after the effect");
                    }
                }),
                "delayqueue.listener.lease=1s",
                "delayqueue.engine.heartbeat=500ms",
                "delayqueue.engine.heartbeat-timeout=2s",
                "delayqueue.listener.max-attempts=10000",
                "delayqueue.engine.isolate-after-crashes=1000",
                "delayqueue.engine.crash-limit=1000");
        started.afterwards(delivery -> {
            if (ThreadLocalRandom.current().nextInt(100) < 5) {
                throw new IllegalStateException("after the commit");
            }
        });
        opened.add(started);
        return started;
    }
}
