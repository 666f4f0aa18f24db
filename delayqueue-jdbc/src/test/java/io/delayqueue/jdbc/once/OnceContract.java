package io.delayqueue.jdbc.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.jdbc.once.OnceNode.Batch;
import io.delayqueue.jdbc.once.OnceNode.Behaviour;
import io.delayqueue.jdbc.once.OnceNode.Joining;
import io.delayqueue.jdbc.once.OnceNode.Plain;
import io.delayqueue.jdbc.once.OnceNode.SelfInvoking;
import io.delayqueue.listener.BatchFailureException;
import io.delayqueue.listener.Delivery;
import io.delayqueue.listener.DeliveryInterceptor;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Rules of listeners with once, on any database. */
@EmbeddedRedis
abstract class OnceContract {

    private final RedisServerProcess redis;
    private final String namespace = UUID.randomUUID().toString();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private FaultProxy proxy;
    private OnceDatabase database;

    OnceContract(RedisServerProcess redis) {
        this.redis = redis;
    }

    /** Creates an empty database whose sessions wait for locks at least 20 s. */
    abstract OnceDatabase newDatabase();

    @BeforeEach
    void open() {
        proxy = FaultProxy.inFrontOf(redis);
        opened.add(proxy);
        database = newDatabase();
    }

    @AfterEach
    void close() throws Exception {
        released.countDown();
        proxy.pass();
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private OnceNode start(Class<?> listener, Behaviour behaviour, String... properties) {
        return start(redis.port(), listener, behaviour, properties);
    }

    private OnceNode start(int port, Class<?> listener, Behaviour behaviour, String... properties) {
        OnceNode node = OnceNode.start(port, namespace, database, listener, behaviour, properties);
        opened.add(node);
        return node;
    }

    private static void send(OnceNode node, String... ids) {
        for (String id : ids) {
            node.delayQueue().send(DelayMessage.to("t").id(id).payload("p").build());
        }
    }

    private static void awaitAcknowledged(OnceNode node, String... ids) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(node.seen.acknowledged).containsExactlyInAnyOrder(ids));
    }

    // ---- repeated deliveries ---------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(classes = {Plain.class, Joining.class})
    void aMessageWhoseAcknowledgementIsLostIsNotHandledAgain(Class<?> listener) {
        AtomicInteger calls = new AtomicInteger();
        OnceNode first = start(proxy.port(), listener, Behaviour.single((effects, delivery) -> {
            calls.incrementAndGet();
            effects.add(delivery);
            proxy.cut(); // the node commits, but is separated from Redis
        }));
        send(first, "m");
        await().until(() -> database.effects() == 1);

        OnceNode second = start(listener, (effects, deliveries) -> calls.incrementAndGet());
        awaitAcknowledged(second, "m");

        assertThat(second.seen.suppressed).containsExactly("m");
        assertThat(second.suppressedMeter()).isEqualTo(1);
        assertThat(calls).hasValue(1);
        assertThat(database.effects()).isEqualTo(1);
        assertThat(first.seen.acknowledged).isEmpty();
    }

    @Test
    void anOverlappingDeliveryWaitsForTheFirstAndIsSuppressed() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        OnceNode second = overlap(
                Behaviour.single((effects, delivery) -> effects.add(delivery)),
                (effects, deliveries) -> calls.incrementAndGet());

        released.countDown();
        awaitAcknowledged(second, "m");

        assertThat(second.seen.suppressed).containsExactly("m");
        assertThat(calls).hasValue(0);
        assertThat(database.effects()).isEqualTo(1);
    }

    @Test
    void anOverlappingDeliveryIsHandledIfTheFirstIsRolledBack() throws Exception {
        OnceNode second = overlap(
                Behaviour.single((effects, delivery) -> {
                    effects.add(delivery);
                    throw new IllegalStateException("on purpose");
                }),
                Behaviour.EFFECT);

        released.countDown();
        awaitAcknowledged(second, "m");

        assertThat(second.seen.suppressed).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
        assertThat(database.handled()).isEqualTo(1);
    }

    /**
     * Starts a node whose handler has inserted its row and then waits, without a connection to Redis, so that its lease
     * ends; and a second node, to which the message is delivered meanwhile.
     */
    private OnceNode overlap(Behaviour first, Behaviour second) throws InterruptedException {
        CountDownLatch separated = new CountDownLatch(1);
        OnceNode a = start(proxy.port(), Plain.class, (effects, deliveries) -> {
            proxy.cut();
            separated.countDown();
            assertThat(released.await(60, TimeUnit.SECONDS)).isTrue();
            first.handle(effects, deliveries);
        });
        send(a, "m");
        assertThat(separated.await(30, TimeUnit.SECONDS)).isTrue();
        AtomicInteger calls = new AtomicInteger();
        OnceNode b = start(Plain.class, (effects, deliveries) -> {
            calls.incrementAndGet();
            second.handle(effects, deliveries);
        });
        await().atMost(Duration.ofSeconds(30)).until(() -> b.seen.started.contains("m"));
        // its insert waits for the transaction of the first node
        await().during(Duration.ofMillis(200)).until(() -> calls.get() == 0 && b.seen.suppressed.isEmpty());
        return b;
    }

    @Test
    void aRepeatOfASendIsSuppressed() {
        OnceNode node = start(Plain.class, Behaviour.EFFECT);
        DelayMessage message =
                DelayMessage.to("t").id("m").nonce("n1").payload("p").build();
        node.delayQueue().send(message);
        awaitAcknowledged(node, "m");

        node.delayQueue().send(message);
        awaitAcknowledged(node, "m", "m");

        assertThat(node.seen.suppressed).containsExactly("m");
        assertThat(database.effects()).isEqualTo(1);
    }

    // ---- deliveries that are no repeats ----------------------------------------------------------------------------

    @Test
    void anIdThatIsSentAgainIsHandledAgain() {
        OnceNode node = start(Plain.class, Behaviour.EFFECT);
        send(node, "m");
        awaitAcknowledged(node, "m");

        send(node, "m");
        awaitAcknowledged(node, "m", "m");

        assertThat(database.effects()).isEqualTo(2);
        assertThat(database.handled()).isEqualTo(2);
        assertThat(node.seen.suppressed).isEmpty();
    }

    @Test
    void aVersionThatIsSentAgainIsHandledAgain() {
        OnceNode node = start(Plain.class, Behaviour.EFFECT);
        DelayMessage message =
                DelayMessage.to("t").id("m").version(5).payload("p").build();
        node.delayQueue().send(message);
        awaitAcknowledged(node, "m");

        node.delayQueue().send(message);
        awaitAcknowledged(node, "m", "m");

        assertThat(database.effects()).isEqualTo(2);
    }

    @Test
    void idsThatDifferInCaseOrBlanksAreDifferentMessages() {
        OnceNode node = start(Plain.class, Behaviour.EFFECT);
        String[] ids = {"m", "M", "m ", "ｍ", "m\u0000", "m\n", "é", "e\u0301", "x".repeat(256), "😀".repeat(64)};
        send(node, ids);
        awaitAcknowledged(node, ids);

        assertThat(database.effects()).isEqualTo(ids.length);
        assertThat(database.handled()).isEqualTo(ids.length);
    }

    @ParameterizedTest
    @ValueSource(classes = {Plain.class, Joining.class, SelfInvoking.class})
    void aFailedAttemptIsRolledBackAndRetried(Class<?> listener) {
        OnceNode node = start(listener, Behaviour.single((effects, delivery) -> {
            effects.add(delivery);
            if (delivery.attempt() < 3) {
                throw new IllegalStateException("on purpose");
            }
        }));
        send(node, "m");
        awaitAcknowledged(node, "m");

        assertThat(node.seen.retried).containsExactly("m", "m");
        assertThat(node.seen.suppressed).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
        assertThat(database.handled()).isEqualTo(1);
    }

    @Test
    void anExceptionOfNoRollbackForRollsBackToo() {
        OnceNode node = start(Joining.class, Behaviour.single((effects, delivery) -> {
            effects.add(delivery);
            if (delivery.attempt() == 1) {
                throw new IllegalArgumentException("on purpose");
            }
        }));
        send(node, "m");
        awaitAcknowledged(node, "m");

        assertThat(node.seen.suppressed).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
    }

    @Test
    void aReplayedDeadLetterIsHandled() {
        AtomicBoolean repaired = new AtomicBoolean();
        OnceNode node = start(
                Plain.class,
                Behaviour.single((effects, delivery) -> {
                    effects.add(delivery);
                    if (!repaired.get()) {
                        throw new IllegalStateException("on purpose");
                    }
                }),
                "delayqueue.listener.max-attempts=2");
        send(node, "m");
        await().until(() -> node.seen.dead.contains("m ATTEMPTS_SPENT"));
        assertThat(database.effects()).isZero();

        repaired.set(true);
        replay(node);
        awaitAcknowledged(node, "m");

        assertThat(node.seen.suppressed).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
    }

    @Test
    void aReplayedDeadLetterIsSuppressedIfItsTransactionIsCommitted() {
        OnceNode node = start(FailingAfterTheCommit.class, Behaviour.EFFECT, "delayqueue.listener.max-attempts=1");
        send(node, "m");
        await().until(() -> node.seen.dead.contains("m ATTEMPTS_SPENT"));
        assertThat(database.effects()).isEqualTo(1);

        replay(node);
        await().until(() -> node.seen.dead.size() == 2);

        assertThat(node.seen.suppressed).containsExactly("m");
        assertThat(database.effects()).isEqualTo(1);
    }

    private static void replay(OnceNode node) {
        List<DeadLetter> dead = node.admin().deadLetters("t", 10).deadLetters();
        assertThat(node.admin().replay("t", dead.get(0).deadLetterId())).isEqualTo(ReplayOutcome.REPLAYED);
    }

    /** Its interceptor fails each call after the transaction. */
    static final class FailingAfterTheCommit implements DeliveryInterceptor {

        private final OnceNode.Effects effects;
        private final Behaviour behaviour;

        FailingAfterTheCommit(OnceNode.Effects effects, Behaviour behaviour) {
            this.effects = effects;
            this.behaviour = behaviour;
        }

        @Override
        public CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception {
            assertThat(next.proceed()).isNotNull();
            throw new IllegalStateException("after the commit");
        }

        @DelayListener(topic = "t", id = "l", once = "true")
        void handle(String payload, Delivery delivery) throws Exception {
            behaviour.handle(effects, List.of(delivery));
        }
    }

    // ---- batches ---------------------------------------------------------------------------------------------------

    @Test
    void aBatchIsOneTransaction() {
        AtomicInteger calls = new AtomicInteger();
        OnceNode node = start(Batch.class, (effects, deliveries) -> {
            deliveries.forEach(effects::add);
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("on purpose");
            }
        });
        String[] ids = sendTogether(node, "a", "b", "c");
        awaitAcknowledged(node, ids);

        assertThat(node.seen.retried).containsExactlyInAnyOrder(ids);
        assertThat(node.seen.suppressed).isEmpty();
        assertThat(database.effects()).isEqualTo(3);
        assertThat(database.handled()).isEqualTo(3);
    }

    @Test
    void aFailureOfOneMessageFailsItsBatch() {
        AtomicInteger calls = new AtomicInteger();
        List<String> failures = new ArrayList<>();
        OnceNode node = start(Batch.class, (effects, deliveries) -> {
            deliveries.forEach(effects::add);
            if (calls.incrementAndGet() == 1) {
                throw new BatchFailureException("one").failed("b", new IllegalStateException("on purpose"));
            }
            deliveries.forEach(delivery -> failures.add(delivery.lastFailure()));
        });
        String[] ids = sendTogether(node, "a", "b", "c");
        awaitAcknowledged(node, ids);

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
        OnceNode node = start(Batch.class, (effects, deliveries) -> {
            calls.add(deliveries.stream().map(Delivery::id).toList());
            deliveries.forEach(effects::add);
            if (calls.size() == 2) {
                throw new IllegalStateException("on purpose");
            }
        });
        DelayMessage handled =
                DelayMessage.to("t").id("a").nonce("n").payload("p").build();
        node.delayQueue().send(handled);
        awaitAcknowledged(node, "a");

        node.listener().pause();
        await().until(node.listener()::isPaused);
        node.delayQueue().send(handled);
        send(node, "b", "c");
        node.listener().resume();
        awaitAcknowledged(node, "a", "a", "b", "c");

        assertThat(calls.get(1)).containsExactly("b", "c");
        assertThat(node.seen.suppressed).containsExactly("a");
        assertThat(node.seen.retried).containsExactlyInAnyOrder("b", "c");
        assertThat(database.effects()).isEqualTo(3);
    }

    private static String[] sendTogether(OnceNode node, String... ids) {
        node.listener().pause();
        await().until(node.listener()::isPaused);
        send(node, ids);
        node.listener().resume();
        return ids;
    }

    // ---- the handler -----------------------------------------------------------------------------------------------

    @Test
    void aSettlementByTheHandlerIsRejected() {
        OnceNode node = start(
                Plain.class,
                Behaviour.single((effects, delivery) -> {
                    effects.add(delivery);
                    assertThat(delivery.acknowledgement().extend(Duration.ofSeconds(30)))
                            .succeedsWithin(Duration.ofSeconds(30));
                    assertThat(delivery.acknowledgement().postpone(Duration.ofSeconds(1)))
                            .isNotNull();
                }),
                "delayqueue.listener.max-attempts=1");
        send(node, "m");
        await().until(() -> node.seen.dead.contains("m ATTEMPTS_SPENT"));

        assertThat(node.admin().deadLetters("t", 1).deadLetters().get(0).failure())
                .asString()
                .contains("A listener with once settles a message by returning or throwing.");
        assertThat(database.effects()).isZero();
    }

    @Test
    void aFailureAfterTheCommitDoesNotFailTheAttempt() {
        OnceNode node = start(Joining.class, Behaviour.single((effects, delivery) -> {
            effects.add(delivery);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    throw new IllegalStateException("on purpose");
                }
            });
        }));
        send(node, "m");
        awaitAcknowledged(node, "m");

        assertThat(node.seen.retried).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
    }

    @Test
    void aTransactionThatIsMarkedForRollbackFailsTheAttempt() {
        OnceNode node = start(Joining.class, Behaviour.single((effects, delivery) -> {
            effects.add(delivery);
            if (delivery.attempt() == 1) {
                TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
            }
        }));
        send(node, "m");
        awaitAcknowledged(node, "m");

        assertThat(node.seen.retried).containsExactly("m");
        assertThat(node.seen.suppressed).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
    }

    @Test
    void aTransactionOfAnInterceptorIsSuspended() {
        OnceNode node = start(InATransaction.class, Behaviour.EFFECT);
        DelayMessage message =
                DelayMessage.to("t").id("m").nonce("n1").payload("p").build();
        node.delayQueue().send(message);
        awaitAcknowledged(node, "m");
        node.delayQueue().send(message);
        awaitAcknowledged(node, "m", "m");

        assertThat(node.seen.suppressed).containsExactly("m");
        assertThat(node.seen.retried).isEmpty();
        assertThat(database.effects()).isEqualTo(1);
    }

    /** Its interceptor begins a transaction. */
    static final class InATransaction implements DeliveryInterceptor {

        private final OnceNode.Effects effects;
        private final Behaviour behaviour;
        private final PlatformTransactionManager transactions;

        InATransaction(OnceNode.Effects effects, Behaviour behaviour, PlatformTransactionManager transactions) {
            this.effects = effects;
            this.behaviour = behaviour;
            this.transactions = transactions;
        }

        @Override
        public CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception {
            TransactionStatus outer = transactions.getTransaction(null);
            CompletionStage<?> end = next.proceed();
            transactions.commit(outer);
            return end;
        }

        @DelayListener(topic = "t", id = "l", once = "true")
        void handle(String payload, Delivery delivery) throws Exception {
            behaviour.handle(effects, List.of(delivery));
        }
    }

    @Test
    void attemptsDoNotCountWhileTheDatabaseIsUnavailable() {
        OnceNode node = start(
                Plain.class,
                Behaviour.single((effects, delivery) -> {
                    assertThat(delivery.attempt()).isEqualTo(1);
                    effects.add(delivery);
                }),
                "delayqueue.listener.max-attempts=1",
                "test.database-fails=true");
        OnceNode.FailingDataSource source = node.application.getBean(OnceNode.FailingDataSource.class);
        source.fails = true;
        send(node, "a", "b", "c");
        await().atMost(Duration.ofSeconds(30)).until(() -> node.seen.released.size() >= 3);
        assertThat(node.listener().status().unavailable()).asString().contains("The database of listener l");

        source.fails = false;
        awaitAcknowledged(node, "a", "b", "c");

        assertThat(node.seen.dead).isEmpty();
        assertThat(database.effects()).isEqualTo(3);
    }

    // ---- clean-up --------------------------------------------------------------------------------------------------

    @Test
    void expiredRowsAreRemovedAThousandAtATime() {
        HandledMessages table = new HandledMessages(database.jdbc().getDataSource(), "delayqueue_handled");
        insertRows(2500, Instant.EPOCH);
        insertRows(3, Instant.EPOCH.plusSeconds(10));

        assertThat(table.deleteBefore(Instant.EPOCH.plusSeconds(10))).isEqualTo(1000);
        assertThat(database.handled()).isEqualTo(1503);
        assertThat(table.deleteBefore(Instant.EPOCH.plusSeconds(10))).isEqualTo(1000);
        assertThat(table.deleteBefore(Instant.EPOCH.plusSeconds(10))).isEqualTo(500);
        assertThat(table.deleteBefore(Instant.EPOCH.plusSeconds(10))).isZero();
        assertThat(database.handled()).isEqualTo(3);
    }

    @Test
    void nodesRemoveExpiredRowsAndKeepOthers() {
        insertRows(2500, Instant.EPOCH);
        OnceNode node = start(
                Plain.class, Behaviour.EFFECT, "delayqueue.once.clean-up-interval=1s", "delayqueue.once.retention=25h");
        send(node, "m");
        awaitAcknowledged(node, "m");

        await().atMost(Duration.ofSeconds(30)).until(() -> database.handled() == 1);
    }

    private void insertRows(int count, Instant time) {
        database.jdbc()
                .batchUpdate(
                        "insert into delayqueue_handled (message_key, listener, topic, message_id, send_id, handled_at)"
                                + " values (?, 'l', 't', 'm', '-', ?)",
                        IntStream.range(0, count)
                                .mapToObj(i -> new Object[] {
                                    HandledMessages.keyOf("t", i + " " + time, "-"), time.toEpochMilli()
                                })
                                .toList());
    }

    // ---- invariant -------------------------------------------------------------------------------------------------

    @Test
    void eachMessageHasOneEffectWhateverFails() {
        int count = 3000;
        OnceNode first = startFaulty(proxy.port());
        OnceNode second = startFaulty(redis.port());
        List<DelayMessage> messages = IntStream.range(0, count)
                .mapToObj(i -> DelayMessage.to("t").id("m" + i).payload("p").build())
                .toList();
        first.delayQueue().sendAll(messages);

        Random random = new Random(1);
        for (int cuts = 0; cuts < 5; cuts++) {
            int target = count * (cuts + 1) / 7;
            await().atMost(Duration.ofSeconds(100)).until(() -> database.handled() >= target);
            if (random.nextBoolean()) {
                proxy.disconnect();
            } else {
                proxy.cut();
                await().pollDelay(Duration.ofMillis(300)).until(() -> true);
                proxy.pass();
            }
        }
        await().atMost(Duration.ofSeconds(100)).until(() -> isEmpty(second));

        assertThat(database.effects()).isEqualTo(count);
        assertThat(distinctEffects(database.jdbc())).isEqualTo(count);
        assertThat(database.handled()).isEqualTo(count);
        System.out.println(getClass().getSimpleName() + ": suppressed "
                + (first.seen.suppressed.size() + second.seen.suppressed.size()) + ", retried "
                + (first.seen.retried.size() + second.seen.retried.size()) + ", deliveries "
                + (first.seen.started.size() + second.seen.started.size()) + " of " + count + " messages");
        assertThat(first.seen.suppressed.size() + second.seen.suppressed.size()).isPositive();
        assertThat(first.seen.dead).isEmpty();
        assertThat(second.seen.dead).isEmpty();
    }

    private static int distinctEffects(JdbcTemplate jdbc) {
        Integer distinct = jdbc.queryForObject("select count(distinct message_id) from effects", Integer.class);
        return distinct == null ? 0 : distinct;
    }

    private static boolean isEmpty(OnceNode node) {
        var counts = node.admin().counts("t");
        return counts.scheduled() + counts.ready() + counts.leased() == 0;
    }

    private OnceNode startFaulty(int port) {
        Set<String> overlapped = ConcurrentHashMap.newKeySet();
        return start(
                port,
                SometimesFailing.class,
                Behaviour.single((effects, delivery) -> {
                    int fate = ThreadLocalRandom.current().nextInt(100);
                    if (fate < 5) {
                        throw new IllegalStateException("before the effect");
                    }
                    if (fate < 15 && overlapped.add(delivery.id())) {
                        loseLease(delivery.id());
                    }
                    effects.add(delivery);
                    if (fate >= 90) {
                        throw new IllegalStateException("after the effect");
                    }
                }),
                "delayqueue.listener.max-attempts=10000",
                "delayqueue.engine.isolate-after-crashes=1000",
                "delayqueue.engine.crash-limit=1000");
    }

    /** Ends the lease, as if the node had not renewed it: the message is delivered again while it is handled. */
    private void loseLease(String id) {
        redis.command("ZADD", namespace + ":{t:0.0}:leases", "XX", "1", id);
    }

    /** Its interceptor fails some calls after the transaction. */
    static final class SometimesFailing implements DeliveryInterceptor {

        private final OnceNode.Effects effects;
        private final Behaviour behaviour;

        SometimesFailing(OnceNode.Effects effects, Behaviour behaviour) {
            this.effects = effects;
            this.behaviour = behaviour;
        }

        @Override
        public CompletionStage<?> around(String listener, List<Delivery> deliveries, Next next) throws Exception {
            CompletionStage<?> end = next.proceed();
            if (ThreadLocalRandom.current().nextInt(100) < 5) {
                throw new IllegalStateException("after the commit");
            }
            return end;
        }

        @DelayListener(topic = "t", id = "l", once = "true")
        void handle(String payload, Delivery delivery) throws Exception {
            behaviour.handle(effects, List.of(delivery));
        }
    }
}
