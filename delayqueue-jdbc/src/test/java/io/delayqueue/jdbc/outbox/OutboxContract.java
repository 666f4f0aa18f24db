package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.Shard;
import io.delayqueue.store.script.ShardPlan;
import io.delayqueue.store.script.ShardPlan.OnConflict;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.DuplicateMessageException;
import io.delayqueue.template.MessageRejectedException;
import io.delayqueue.template.OutboxState.Content;
import io.delayqueue.template.SendInterceptor;
import io.delayqueue.template.SendLimits;
import io.delayqueue.template.TemplateClock;
import io.delayqueue.test.redis.RedisRequest;
import io.delayqueue.testing.ShardLimits;
import io.delayqueue.testing.SystemClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Rules of the outbox on any database. */
abstract class OutboxContract extends OutboxTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private MessageSnapshot find(String id) {
        return observer.template().find(TOPIC, id).orElseThrow();
    }

    private boolean isThere(String id) {
        return observer.template().find(TOPIC, id).isPresent();
    }

    private String payload(String id) {
        return new String(find(id).envelope().payload(), StandardCharsets.UTF_8);
    }

    /** A node whose commits do not reach Redis, and whose relay does not either until {@link #reconnect}. */
    private OutboxNode disconnected() {
        OutboxNode node = node();
        node.queue.proxy.refuse();
        return node;
    }

    private static void reconnect(OutboxNode node) {
        node.queue.proxy.pass();
    }

    /** Runs the relay until Redis accepts its messages. */
    private static void relay(OutboxNode node) {
        await().until(() -> {
            node.relay.run();
            return node.stored() == 0;
        });
    }

    @Test
    void committedMessageIsSentAtOnceAndItsRowIsDeleted() {
        OutboxNode node = node();

        String id = node.transaction.execute(status -> {
            String sent = node.insertAndSend(message("a"));
            assertThat(node.stored()).isEqualTo(1);
            assertThat(isThere(sent)).isFalse();
            return sent;
        });

        assertThat(isThere(id)).isTrue();
        node.relay.run();
        assertThat(node.stored()).isZero();
        consumer.consume(TOPIC);
        assertThat(consumer.handled()).containsExactly("a");
    }

    @Test
    void messagesOfACommitShareARoundTripAndADeletion() {
        OutboxNode node = node();
        node.queue.template().send(TOPIC, "makes Redis know the script");
        node.place(message("first"));
        node.drain();
        node.queue.proxy.traffic().reset();

        node.transaction.executeWithoutResult(
                status -> IntStream.range(0, 10).forEach(i -> node.insertAndSend(message("a" + i))));
        assertThat(node.queue.proxy.traffic().requests()).isEqualTo(1);
        node.faults.failAt(-1, false, false, () -> {});
        node.relay.run();

        assertThat(node.faults.calls())
                .filteredOn(call -> call.startsWith("executeUpdate"))
                .hasSize(1);
        assertThat(node.stored()).isZero();
    }

    @Test
    void rolledBackMessageIsNeitherStoredNorSent() {
        OutboxNode node = node();

        node.transaction.executeWithoutResult(status -> {
            node.insertAndSend(message("a", "a"));
            status.setRollbackOnly();
        });

        node.relay.run();
        assertThat(node.stored()).isZero();
        assertThat(isThere("a")).isFalse();
    }

    @Test
    void messageOfARolledBackSavepointIsNeitherStoredNorSent() {
        OutboxNode node = node();
        TransactionTemplate nested = new TransactionTemplate(node.manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

        node.transaction.executeWithoutResult(outer -> {
            node.insertAndSend(message("a", "a"));
            nested.executeWithoutResult(status -> {
                node.insertAndSend(message("b", "b"));
                status.setRollbackOnly();
            });
            nested.executeWithoutResult(status -> node.insertAndSend(message("c", "c")));
        });

        assertThat(isThere("a")).isTrue();
        assertThat(isThere("b")).isFalse();
        assertThat(isThere("c")).isTrue();
        node.relay.run();
        assertThat(node.stored()).isZero();
    }

    @Test
    void anInnerTransactionOfItsOwnSendsWhenItCommits() {
        OutboxNode node = node();
        TransactionTemplate inner = new TransactionTemplate(node.manager);
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        node.transaction.executeWithoutResult(outer -> {
            node.insertAndSend(message("a", "a"));
            inner.executeWithoutResult(status -> node.insertAndSend(message("b", "b")));
            assertThat(isThere("b")).isTrue();
            outer.setRollbackOnly();
        });

        node.drain();
        assertThat(isThere("a")).isFalse();
        assertThat(isThere("b")).isTrue();
    }

    @Test
    void aReadOnlyTransactionSendsWithoutARow() {
        OutboxNode node = node();
        TransactionTemplate reading = new TransactionTemplate(node.manager);
        reading.setReadOnly(true);

        reading.executeWithoutResult(status -> {
            node.template.sendAfterCommit(message("a", "a"));
            assertThat(node.stored()).isZero();
        });

        assertThat(isThere("a")).isTrue();
    }

    @Test
    void aTransactionOnAnotherDataSourceSendsWithoutARow() {
        OutboxNode node = node();
        try (HikariDataSource other = database.open()) {
            new TransactionTemplate(new JdbcTransactionManager(other)).executeWithoutResult(status -> {
                node.template.sendAfterCommit(message("a", "a"));
                // binds a connection that commits each statement
                DataSourceUtils.getConnection(node.faults);
                node.template.sendAfterCommit(message("b", "b"));
                assertThat(node.stored()).isZero();
            });
        }

        assertThat(isThere("a") && isThere("b")).isTrue();
    }

    @Test
    void withoutATransactionItIsSentAtOnce() {
        OutboxNode node = node();

        node.template.sendAfterCommit(message("a", "a"));

        assertThat(isThere("a")).isTrue();
        assertThat(node.stored()).isZero();
    }

    @Test
    void aMessageThatIsSentImmediatelyBeforeTheCommitIsStored() {
        OutboxNode node = disconnected();

        node.transaction.executeWithoutResult(status ->
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        node.insertAndSend(message("a", "a"));
                    }
                }));

        assertThat(node.stored()).isEqualTo(1);
        reconnect(node);
        relay(node);
        assertThat(isThere("a")).isTrue();
    }

    @Test
    void aMessageThatIsSentAfterTheCommitArrivesAndLeavesNoRow() {
        OutboxNode node = node();

        node.transaction.executeWithoutResult(status ->
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        node.template.sendAfterCommit(message("a", "a"));
                    }
                }));

        assertThat(isThere("a")).isTrue();
        relay(node);
    }

    @Test
    void aCommitDoesNotFailIfItsConnectionToRedisIsLost() {
        shortenCommandTimeout();
        OutboxNode node = node();
        await().ignoreExceptions().until(() -> node.queue.template().send(TOPIC, "connects") != null);
        node.queue.proxy.refuse();

        node.place(message("a"));

        assertThat(node.stored()).isEqualTo(1);
        assertThat(node.queue.sent()).noneMatch(line -> line.startsWith("failed"));
        reconnect(node);
        relay(node);
        consumer.consume(TOPIC);
        assertThat(consumer.handled()).contains("a");
    }

    @Test
    void afterAFailureCommitsLeaveMessagesToTheRelayUntilRedisReplies() {
        OutboxNode node = disconnected();
        node.place(message("a"));
        reconnect(node);
        node.queue.proxy.traffic().reset();

        node.place(message("b"));
        assertThat(node.queue.proxy.traffic().requests("EVALSHA")).isZero();

        relay(node);
        String id = node.transaction.execute(status -> node.insertAndSend(message("c")));
        assertThat(isThere(id)).isTrue();
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void anOutageEndsWhenAnotherRelayDoesTheRows(CapturedOutput output) {
        OutboxNode node = disconnected();
        node.place(message("a"));
        node.relay.run();
        relay(node());
        node.nanoTime.addAndGet(Duration.ofSeconds(75).toNanos());

        node.relay.run();

        assertThat(output).contains("Redis serves the outbox again after 75 s. Failed tries: 1");
    }

    @Test
    void theRelaySendsABacklogInOneRun() {
        OutboxNode node = disconnected();
        int count = 2 * OutboxNode.BATCH + 50;
        for (int i = 0; i < count; i++) {
            node.place(message("a" + i));
        }
        reconnect(node);

        relay(node);

        consumer.consume(TOPIC);
        assertThat(consumer.handled()).hasSize(count).doesNotHaveDuplicates();
    }

    @Test
    void anIdleRelayCostsOneQuery() {
        OutboxNode node = node();
        node.relay.run();
        node.faults.failAt(-1, false, false, () -> {});

        node.relay.run();
        node.relay.run();

        assertThat(node.faults.calls()).hasSizeLessThanOrEqualTo(2).allMatch(call -> call.startsWith("executeQuery"));
    }

    @Test
    void aDelayCountsFromTheCommitHoweverLateTheRelayIs() {
        OutboxNode node = disconnected();
        Instant date = SystemClock.now().plus(HOUR).truncatedTo(ChronoUnit.MILLIS);
        node.place(DelayMessage.to(TOPIC).id("delay").payload("a").delay(HOUR).build());
        node.place(DelayMessage.to(TOPIC).id("date").payload("b").dueAt(date).build());
        node.place(DelayMessage.to(TOPIC)
                .id("over")
                .payload("c")
                .delay(Duration.ofMinutes(10))
                .build());
        node.jdbc.update("update delayqueue_outbox set stored_at = stored_at - "
                + Duration.ofMinutes(20).toMillis());
        reconnect(node);

        relay(node);

        MessageSnapshot delayed = find("delay");
        assertThat(Duration.between(delayed.envelope().sentAt(), delayed.dueAt()))
                .isBetween(Duration.ofMinutes(20), Duration.ofMinutes(40));
        assertThat(find("date").dueAt()).isEqualTo(date);
        assertThat(find("over").dueAt()).isEqualTo(find("over").envelope().sentAt());
    }

    @Test
    void aQuietTimeCountsFromWhenRedisStoresTheMessage() {
        OutboxNode node = disconnected();
        for (String payload : List.of("first", "last")) {
            node.place(DelayMessage.to(TOPIC)
                    .id("a")
                    .payload(payload)
                    .debounce(HOUR, HOUR.plusMinutes(1))
                    .build());
        }
        node.jdbc.update("update delayqueue_outbox set stored_at = stored_at - "
                + Duration.ofMinutes(20).toMillis());
        reconnect(node);

        relay(node);

        MessageSnapshot message = find("a");
        assertThat(message.envelope().payload()).asString().isEqualTo("last");
        assertThat(Duration.between(message.envelope().sentAt(), message.dueAt()))
                .isEqualTo(HOUR);
    }

    @Test
    void aDelayDoesNotCountTheRestOfALongTransaction() {
        AtomicLong nanoTime = new AtomicLong();
        OutboxNode node = node(template -> TemplateClock.set(template, nanoTime::get));
        node.queue.proxy.refuse();

        node.transaction.executeWithoutResult(status -> {
            node.insertAndSend(
                    DelayMessage.to(TOPIC).id("a").payload("a").delay(HOUR).build());
            node.jdbc.update("update delayqueue_outbox set stored_at = 0");
            nanoTime.addAndGet(Duration.ofMillis(20).toNanos());
        });
        assertThat(node.jdbc.queryForObject("select stored_at from delayqueue_outbox", Long.class))
                .isPositive();
        reconnect(node);
        relay(node);

        MessageSnapshot delayed = find("a");
        assertThat(Duration.between(delayed.envelope().sentAt(), delayed.dueAt()))
                .isBetween(HOUR.dividedBy(2), HOUR);
    }

    @Test
    void messagesOfAnIdKeepTheirOrderAcrossCommits() {
        OutboxNode node = disconnected();
        node.place(message("x", "first"));
        OutboxNode other = node();

        other.place(message("x", "second"));

        assertThat(isThere("x")).isFalse();
        assertThat(other.stored()).isEqualTo(2);
        relay(other);
        assertThat(payload("x")).isEqualTo("second");
        assertThat(other.queue.sent()).containsOnly("sent " + TOPIC + " 1");
    }

    /** The second transaction waits at a row that the first one locks, so it stores its message after that commit. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messagesOfAnIdKeepTheOrderOfTransactionsThatWaitForEachOther(boolean commitsSend) {
        OutboxNode node = node();
        OutboxNode other = node();
        node.place(message("y", "order"));
        if (!commitsSend) {
            node.outbox.close();
            other.outbox.close();
        }
        String lock = "select id from orders where id = 'order' for update";
        AtomicReference<CompletableFuture<Void>> second = new AtomicReference<>();

        node.transaction.executeWithoutResult(status -> {
            node.jdbc.queryForList(lock);
            second.set(CompletableFuture.runAsync(() -> other.transaction.executeWithoutResult(waiting -> {
                other.jdbc.queryForList(lock);
                other.insertAndSend(message("x", "second"));
            })));
            node.insertAndSend(message("x", "first"));
        });
        second.get().join();

        node.relay.run();
        relay(other);
        assertThat(payload("x")).isEqualTo("second");
    }

    @Test
    void committedCancelIsExecutedAtOnceAndItsRowIsDeleted() {
        OutboxNode node = node();
        observer.template().send(later("x", "x"));

        node.transaction.executeWithoutResult(status -> {
            node.template.cancelAfterCommit(TOPIC, "x");
            node.template.cancelAfterCommit(TOPIC, "never sent");
            assertThat(node.stored()).isEqualTo(2);
            assertThat(isThere("x")).isTrue();
        });

        assertThat(isThere("x")).isFalse();
        node.relay.run();
        assertThat(node.stored()).isZero();
        assertThat(node.queue.sent()).isEmpty();
    }

    @Test
    void rolledBackCancelIsNeitherStoredNorExecuted() {
        OutboxNode node = node();
        observer.template().send(later("x", "x"));
        observer.template().send(later("y", "y"));
        TransactionTemplate nested = new TransactionTemplate(node.manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

        node.transaction.executeWithoutResult(status -> {
            node.template.cancelAfterCommit(TOPIC, "x");
            status.setRollbackOnly();
        });
        node.transaction.executeWithoutResult(outer -> {
            nested.executeWithoutResult(status -> {
                node.template.cancelAfterCommit(TOPIC, "x");
                status.setRollbackOnly();
            });
            node.template.cancelAfterCommit(TOPIC, "y");
        });

        node.drain();
        assertThat(node.stored()).isZero();
        assertThat(isThere("x")).isTrue();
        assertThat(isThere("y")).isFalse();
    }

    @Test
    void anInnerTransactionOfItsOwnCancelsWhenItCommits() {
        OutboxNode node = node();
        observer.template().send(later("x", "x"));
        observer.template().send(later("y", "y"));
        TransactionTemplate inner = new TransactionTemplate(node.manager);
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        node.transaction.executeWithoutResult(outer -> {
            node.template.cancelAfterCommit(TOPIC, "x");
            inner.executeWithoutResult(status -> node.template.cancelAfterCommit(TOPIC, "y"));
            assertThat(isThere("y")).isFalse();
            outer.setRollbackOnly();
        });

        node.drain();
        assertThat(isThere("x")).isTrue();
    }

    @Test
    void aCancelIsRelayedBehindEarlierRowsOfItsIdWhenRedisRepliesAgain() {
        OutboxNode node = disconnected();
        node.place(later("x", "x"));
        node.place(later("y", "y"));
        node.cancel("x");

        assertThat(node.stored()).isEqualTo(3);
        assertThat(node.queue.sent()).isEmpty();
        reconnect(node);
        relay(node);

        assertThat(isThere("x")).isFalse();
        assertThat(isThere("y")).isTrue();
    }

    @Test
    void aSendBehindACancelOfItsIdComesAfterIt() {
        OutboxNode node = node();
        observer.template().send(later("x", "first"));

        node.transaction.executeWithoutResult(status -> {
            node.template.cancelAfterCommit(TOPIC, "x");
            node.insertAndSend(later("x", "second"));
        });
        relay(node);
        assertThat(payload("x")).isEqualTo("second");

        node.outbox.close();
        node.transaction.executeWithoutResult(status -> {
            node.template.cancelAfterCommit(TOPIC, "x");
            node.insertAndSend(later("x", "third"));
            node.template.cancelAfterCommit(TOPIC, "x");
            node.insertAndSend(later("x", "fourth"));
        });
        relay(node);
        assertThat(payload("x")).isEqualTo("fourth");
        assertThat(node.queue.sent()).noneMatch(line -> line.startsWith("duplicate"));
    }

    /** Otherwise it would be lost, because Redis ignores the repeat of its send. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRepeatedCancelDoesNotCancelALaterMessage(boolean commitCancels) {
        observer.template().send(later("y", "registers the topic"));
        OutboxNode node = node();
        if (!commitCancels) {
            node.outbox.close();
        }
        node.transaction.executeWithoutResult(status -> {
            node.template.cancelAfterCommit(TOPIC, "x");
            node.insertAndSend(later("x", "x"));
        });
        OutboxNode successor = node();
        List<String> calls = List.of("search", "claim", "blocked", "delete", "commit");
        successor.faults.failAt(calls.indexOf("commit"), false, false, () -> {});

        successor.relay.run();
        assertThat(successor.faults.hasFailed()).isTrue();
        assertThat(successor.stored()).isEqualTo(2);
        assertThat(isThere("x")).isTrue();

        relay(successor);
        assertThat(isThere("x")).isTrue();
    }

    /** Their order is not defined. */
    @Test
    void messagesOfAnIdAndOfOverlappingTransactionsAreAllSent() {
        OutboxNode node = node();
        OutboxNode other = node();

        node.transaction.executeWithoutResult(status -> {
            node.insertAndSend(message("x", "first"));
            CompletableFuture.runAsync(() -> other.place(message("x", "second")))
                    .join();
            consumer.consume(TOPIC);
        });

        relay(other);
        relay(node);
        consumer.consume(TOPIC);
        assertThat(consumer.handled()).containsExactlyInAnyOrder("first", "second");
    }

    @Test
    void messagesOfAnIdInOneTransactionKeepTheirOrder() {
        OutboxNode node = node();

        node.transaction.executeWithoutResult(status -> {
            node.insertAndSend(message("x", "first"));
            node.insertAndSend(message("x", "second"));
            node.insertAndSend(message("x", "third"));
        });

        relay(node);
        assertThat(payload("x")).isEqualTo("third");
    }

    @Test
    void twoRelaysDoNotReorderMessagesOfAnId() {
        OutboxNode node = disconnected();
        node.place(message("x", "first"));
        node.place(message("x", "second"));
        node.place(message("y", "other"));
        OutboxNode other = node();

        node.outbox.transactions().inTransaction(() -> {
            node.jdbc.queryForList(
                    "select seq from delayqueue_outbox where seq = ? for update",
                    node.rows().get(0));
            CompletableFuture.runAsync(other.relay::run).join();
            return true;
        });

        assertThat(isThere("x")).isFalse();
        assertThat(payload("y")).isEqualTo("other");
        assertThat(other.stored()).isEqualTo(2);
        relay(other);
        assertThat(payload("x")).isEqualTo("second");
    }

    @Test
    void aRepeatIsRecognisedWhenTheMessageWasAcknowledgedMeanwhile() {
        OutboxNode node = node();
        node.place(message("a"));
        node.place(message("b", "b"));
        node.place(DelayMessage.to(TOPIC).id("v").payload("v").version(7).build());
        node.place(DelayMessage.to(TOPIC).id("w").payload("w").version(7).build());
        consumer.consume(TOPIC);
        assertThat(consumer.handled()).containsExactlyInAnyOrder("a", "b", "v", "w");
        OutboxNode successor = node();

        relay(successor);

        consumer.consume(TOPIC);
        assertThat(consumer.handled()).hasSize(4);
        assertThat(successor.queue.sent()).isEmpty();
    }

    @Test
    void aRememberedSendIsRecognisedInAnotherTransaction() {
        OutboxNode node = node();
        DelayMessage once = DelayMessage.to(TOPIC)
                .id("r")
                .payload("r")
                .nonce("request1")
                .rememberFor(Duration.ofMinutes(1))
                .build();
        node.place(once);
        consumer.consume(TOPIC);

        node.transaction.executeWithoutResult(status -> node.template.sendAfterCommit(once));

        relay(node);
        consumer.consume(TOPIC);
        assertThat(consumer.handled()).containsExactly("r");
    }

    @Test
    void aDuplicateFailsTheCommitCallAndLeavesNoRow() {
        OutboxNode node = node();
        DelayMessage message =
                DelayMessage.to(TOPIC).id("d").payload("d").delay(HOUR).build();
        observer.template().send(message);

        assertThatThrownBy(() -> node.place(message)).isInstanceOf(DuplicateMessageException.class);

        relay(node);
        assertThat(node.queue.sent()).contains("duplicate " + TOPIC + " d");
    }

    @Test
    void aRowThatIsRejectedForGoodIsSetAsideAndStopsNoOther() {
        OutboxNode node = disconnected();
        node.place(message("large", "x".repeat(50)));
        node.place(message("large", "s"));
        node.place(message("y", "y"));
        OutboxNode strict = node(template -> template.limits(new SendLimits(10, 1000, HOUR, 500, 1_000_000)));

        strict.drain();

        assertThat(payload("y")).isEqualTo("y");
        assertThat(payload("large")).isEqualTo("s");
        assertThat(strict.jdbc.queryForList("select status, reason from delayqueue_outbox"))
                .singleElement()
                .satisfies(row -> assertThat(row.get("reason").toString())
                        .isEqualTo(
                                "INVALID: an earlier send may have stored the message; this repeat failed: its payload"
                                        + " has 50 bytes, but delayqueue.limits.max-payload-size is 10 bytes"));
        assertThat(strict.queue.sent()).anyMatch(line -> line.startsWith("failed " + TOPIC + " large"));
        strict.relay.run();
        assertThat(strict.outbox.table().content().setAside()).isEqualTo(1);
    }

    @Test
    void aMessageThatRedisRejectsAtTheCommitIsSetAsideAndFailsTheCommitCall() {
        OutboxNode node = node(template -> template);
        new TopicRegistry(observer.scripts, observer.keySpace, new ShardPlan(Map.of(TOPIC, 2), OnConflict.FAIL))
                .shards(TOPIC)
                .join();
        DelayQueueTemplate single = DelayQueueTemplate.builder(
                        node.queue.store,
                        new TopicRegistry(
                                node.queue.scripts,
                                node.queue.keySpace,
                                new ShardPlan(Map.of(TOPIC, 1), OnConflict.FAIL)),
                        node.queue.codec,
                        InstantSource.system())
                .outbox(() -> node.outbox)
                .build();

        assertThatThrownBy(() -> node.transaction.executeWithoutResult(status -> single.sendAfterCommit(message("a"))))
                .isInstanceOf(MessageRejectedException.class);

        node.relay.run();
        assertThat(node.jdbc.queryForObject("select reason from delayqueue_outbox", String.class))
                .startsWith("TOPIC_CONFLICT: ");
    }

    @Test
    void aKeyPassesThroughTheOutbox() {
        OutboxNode node = disconnected();
        new TopicRegistry(
                        observer.scripts,
                        observer.keySpace,
                        new ShardPlan(Map.of(), Map.of("ordered", Shard.Keys.ORDERED), OnConflict.FAIL))
                .shards("ordered")
                .join();
        node.place(DelayMessage.to("ordered")
                .id("a")
                .key("account 7")
                .payload("a")
                .delay(HOUR)
                .build());
        reconnect(node);

        relay(node);

        assertThat(redis.command("HEXISTS", "dq:{ordered:0.0}:heads", "account%207"))
                .isEqualTo(1L);
    }

    @Test
    void aTopicThatRedisCannotStoreStopsNoOther() {
        OutboxNode node = disconnected();
        redis.command("SET", "dq:{broken:0.0}:schedule", "not a sorted set");
        node.place(DelayMessage.to("broken").payload("a").build());
        node.place(message("b"));
        reconnect(node);

        await().until(() -> {
            node.relay.run();
            return node.stored() == 1;
        });

        consumer.consume(TOPIC);
        assertThat(consumer.handled()).containsExactly("b");
        assertThat(node.outbox.table().content().waiting()).isEqualTo(1);
    }

    private void limit(String topic, int messages) {
        byte[] meta = observer.keySpace.of(Shard.single(topic)).meta();
        redis.command(ShardLimits.command(new String(meta, StandardCharsets.UTF_8), messages));
    }

    /** A topic with one message and no room for others. */
    private void fill(String topic) {
        observer.template().send(DelayMessage.to(topic).payload("live").build());
        limit(topic, 1);
    }

    /** Runs the relay when a pause of full topics ends. Returns how often it has called Redis. */
    private static long relayAfter(OutboxNode node, Duration pause) {
        node.nanoTime.addAndGet(pause.toNanos());
        long before = node.queue.proxy.traffic().requests("EVALSHA");
        node.relay.run();
        return node.queue.proxy.traffic().requests("EVALSHA") - before;
    }

    @Test
    void aCommitToAFullTopicDoesNotFailAndItsMessageIsSentLater() {
        OutboxNode node = node();
        fill("full");

        node.place(DelayMessage.to("full").id("a").payload("a").build());

        assertThat(node.stored()).isEqualTo(1);
        node.relay.run();
        assertThat(node.stored()).isEqualTo(1);
        assertThat(node.queue.sent()).isEmpty();
        consumer.consume("full");
        relayAfter(node, Duration.ofSeconds(1));
        assertThat(node.stored()).isZero();
        consumer.consume("full");
        assertThat(consumer.handled()).containsExactly("live", "a");
    }

    @Test
    void aFullTopicHoldsUpNoOther() {
        OutboxNode node = disconnected();
        fill("full");
        fill("too");
        node.transaction.executeWithoutResult(status -> {
            for (int i = 0; i < 3 * OutboxNode.BATCH; i++) {
                node.insertAndSend(
                        DelayMessage.to("full").id("f" + i).payload("f" + i).build());
            }
            node.insertAndSend(DelayMessage.to("too").id("t").payload("t").build());
            node.insertAndSend(message("a"));
        });
        node.place(message("b"));
        reconnect(node);

        await().until(() -> {
            node.relay.run();
            return node.stored() == 3 * OutboxNode.BATCH + 1;
        });

        consumer.consume(TOPIC);
        assertThat(consumer.handled()).containsExactly("a", "b");
        assertThat(node.queue.sent()).containsExactlyInAnyOrder("sent " + TOPIC + " 2");
        String id = node.transaction.execute(status -> node.insertAndSend(message("c")));
        assertThat(isThere(id)).as("commits send").isTrue();
    }

    @Test
    void theRelayTriesAFullTopicWithOneMessageAfterPausesThatGrow() {
        OutboxNode node = node();
        fill("full");
        for (int i = 0; i < 5; i++) {
            node.place(DelayMessage.to("full")
                    .id("message" + i)
                    .payload("message" + i)
                    .build());
        }
        node.relay.run();
        node.queue.proxy.traffic().startRecording();

        assertThat(relayAfter(node, Duration.ofMillis(999))).isZero();
        assertThat(relayAfter(node, Duration.ofMillis(1))).isEqualTo(1);
        for (int pause : List.of(2, 4, 8, 16, 30, 30)) {
            assertThat(relayAfter(node, Duration.ofSeconds(pause).minusMillis(1)))
                    .as("before " + pause + " s")
                    .isZero();
            assertThat(relayAfter(node, Duration.ofMillis(1)))
                    .as("after " + pause + " s")
                    .isEqualTo(1);
        }
        assertThat(node.queue.proxy.traffic().recorded())
                .filteredOn(RedisRequest::isScript)
                .noneMatch(request -> request.toString().contains("message1"));

        limit("full", 3);
        assertThat(relayAfter(node, Duration.ofSeconds(30)))
                .as("one message, then the others")
                .isEqualTo(2);
        assertThat(node.stored()).isEqualTo(3);
        limit("full", 10);
        relayAfter(node, Duration.ofSeconds(1));
        assertThat(node.stored()).isZero();
    }

    @Test
    void messagesOfAnIdKeepTheirOrderInAFullTopic() {
        OutboxNode node = disconnected();
        fill("full");
        node.place(toFull("x", "first"));
        node.place(toFull("y", "other"));
        node.place(toFull("x", "second"));
        OutboxNode other = node();

        other.place(toFull("x", "third"));
        other.relay.run();
        assertThat(other.stored()).isEqualTo(4);

        limit("full", 2);
        relayAfter(other, Duration.ofSeconds(1));
        assertThat(payloadInFull("x")).isEqualTo("second");
        assertThat(other.stored())
                .as("y has no room, and the third message waits")
                .isEqualTo(2);

        limit("full", 3);
        relayAfter(other, Duration.ofSeconds(1));
        assertThat(payloadInFull("x")).isEqualTo("third");
        assertThat(payloadInFull("y")).isEqualTo("other");
        assertThat(other.stored()).isZero();
    }

    private static DelayMessage toFull(String id, String payload) {
        return DelayMessage.to("full")
                .id(id)
                .payload(payload)
                .delay(HOUR)
                .onDuplicate(OnDuplicate.REPLACE)
                .build();
    }

    private String payloadInFull(String id) {
        return new String(
                observer.template().find("full", id).orElseThrow().envelope().payload(), StandardCharsets.UTF_8);
    }

    @Test
    void interceptorsSeeTheMessageOnceAndTheirHeadersAreStored() {
        SendInterceptor interceptor = (sending, next) -> {
            sending.header("trace", "t1");
            return next.proceed();
        };
        OutboxNode node = node(template -> template.interceptors(List.of(interceptor)));
        node.queue.proxy.refuse();
        node.place(DelayMessage.to(TOPIC)
                .id("a")
                .payload("a")
                .header("own", "1")
                .delay(HOUR)
                .maxAttempts(3)
                .expireAfter(HOUR)
                .build());
        OutboxNode successor = node();

        relay(successor);

        assertThat(find("a").envelope().headers()).containsExactly(Map.entry("own", "1"), Map.entry("trace", "t1"));
        assertThat(find("a").envelope().limits().maxAttempts()).isEqualTo(3);
        assertThat(find("a").envelope().limits().expireAfter()).isEqualTo(HOUR);
    }

    @Test
    void anInterceptorGetsTheResultAfterTheCommit() {
        CompletableFuture<String> result = new CompletableFuture<>();
        SendInterceptor interceptor = (sending, next) -> next.proceed().whenComplete((sent, failure) -> {
            result.complete(sent.getClass().getSimpleName());
        });
        OutboxNode node = node(template -> template.interceptors(List.of(interceptor)));

        node.transaction.executeWithoutResult(status -> {
            node.insertAndSend(message("a"));
            assertThat(result).isNotDone();
        });

        assertThat(result).isCompletedWithValue("Accepted");
    }

    @Test
    void anInterceptorRejectsAtTheCall() {
        SendInterceptor interceptor = (sending, next) -> {
            throw new IllegalStateException("no");
        };
        OutboxNode node = node(template -> template.interceptors(List.of(interceptor)));

        assertThatThrownBy(() -> node.place(message("a")))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("no");

        assertThat(node.stored()).isZero();
        assertThat(node.jdbc.queryForObject("select count(*) from orders", Long.class))
                .isZero();
    }

    @Test
    void anyCharactersOfTopicsIdsAndPayloadsAreKept() {
        OutboxNode node = disconnected();
        String id = "Ä/é \t'\"\\%_😀";
        node.place(DelayMessage.to(TOPIC)
                .id(id)
                .payload(new byte[] {0, 1, -1, '\n'})
                .header("h\n:", "v\r\n")
                .delay(HOUR)
                .build());
        node.place(message("a", "upper and lower case"));
        node.place(message("A", "differ"));
        reconnect(node);

        relay(node);

        assertThat(find(id).envelope().payload()).containsExactly(0, 1, -1, '\n');
        assertThat(find(id).envelope().headers()).containsEntry("h\n:", "v\r\n");
        assertThat(payload("a")).isEqualTo("upper and lower case");
        assertThat(payload("A")).isEqualTo("differ");
    }

    @Test
    void largePayloadsAreKept() {
        OutboxNode node = disconnected();
        byte[] large = new byte[1_000_000];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) i;
        }
        node.transaction.executeWithoutResult(status -> node.template.sendAfterCommit(
                DelayMessage.to(TOPIC).id("a").payload(large).delay(HOUR).build()));
        reconnect(node);

        relay(node);

        assertThat(find("a").envelope().payload()).isEqualTo(large);
    }

    @Test
    void aFailedInsertFailsTheCallAndTheTransaction() {
        OutboxNode node = node();
        node.jdbc.execute("drop table delayqueue_outbox");

        assertThatThrownBy(() -> node.place(message("a"))).isInstanceOf(DataAccessException.class);

        assertThat(node.jdbc.queryForObject("select count(*) from orders", Long.class))
                .isZero();
        consumer.consume(TOPIC);
        assertThat(consumer.handled()).isEmpty();
    }

    @Test
    void duplicatesWithinABatchAreDecidedByRedis() {
        OutboxNode node = disconnected();
        DelayMessage first = DelayMessage.to(TOPIC)
                .id("d")
                .payload("first")
                .onDuplicate(OnDuplicate.REJECT)
                .build();
        node.place(first);
        node.place(first.toBuilder().payload("second").build());
        reconnect(node);

        relay(node);

        consumer.consume(TOPIC);
        assertThat(consumer.handled()).containsExactly("first");
        assertThat(node.queue.sent()).contains("duplicate " + TOPIC + " d");
    }

    @Test
    void contentCountsRowsAndTheAgeOfTheOldest() {
        OutboxNode node = disconnected();
        assertThat(node.outbox.table().content().waiting()).isZero();
        node.place(message("a"));
        node.place(message("b"));
        new JdbcTemplate(node.faults)
                .update("update delayqueue_outbox set stored_at = stored_at - 60000 where seq = "
                        + node.rows().get(0));

        Content content = node.outbox.table().content();

        assertThat(content.waiting()).isEqualTo(2);
        assertThat(content.oldest()).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
        assertThat(content.setAside()).isZero();
    }
}
