package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Durability;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Duplicate;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.template.DelayQueueUnavailableException;
import io.delayqueue.template.OutcomeUnknownException;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sends, cancels, reschedules and settlements that a replica must confirm. */
@EmbeddedRedis(dedicated = true)
class DurabilityTests extends ReceiveTest {

    private static final Durability SOON = Durability.replicas(1, Duration.ofMillis(10));
    private static final Durability LATE = Durability.replicas(1, Duration.ofSeconds(60));

    private static RedisServerProcess replica;

    private volatile Durability payout = LATE;

    @BeforeAll
    static void startReplica() {
        server.command("CONFIG", "SET", "repl-diskless-sync-delay", "0");
        replica = RedisServerProcess.builder()
                .setting("replicaof", server.host(), Integer.toString(server.port()))
                .start();
    }

    @AfterAll
    static void stopReplica() {
        replica.close();
    }

    @BeforeEach
    void awaitReplica() {
        await().until(() -> server.info("replication").toString().contains("state=online"));
        template = queue.templateBuilder()
                .durability(topic -> topic.equals("payout") ? payout : Durability.NONE)
                .build();
    }

    @AfterEach
    void resumeReplica() {
        replica.resume();
    }

    private static DelayMessage message(String id, Durability durability) {
        return DelayMessage.to("orders")
                .id(id)
                .payload("x")
                .delay(Duration.ofHours(1))
                .durability(durability)
                .build();
    }

    private OutcomeUnknownException unconfirmed(DelayMessage message) {
        OutcomeUnknownException thrown =
                catchThrowableOfType(OutcomeUnknownException.class, () -> template.send(message));
        assertThat(thrown.reason()).isEqualTo(Reason.NOT_CONFIRMED);
        return thrown;
    }

    @Test
    void confirmedMessageIsOnTheReplica() {
        for (int i = 0; i < 5; i++) {
            assertThat(template.send(message("m" + i, LATE))).isInstanceOf(Accepted.class);

            assertThat(replica.command("ZSCORE", scheduleOf("orders"), "m" + i)).isNotNull();
        }
    }

    private String scheduleOf(String topic) {
        return new String(queue.keySpace.of(Shard.single(topic)).schedule());
    }

    @Test
    void unconfirmedMessageIsStoredAndItsRepeatIsRecognised() {
        replica.pause();

        OutcomeUnknownException thrown = unconfirmed(message("4711", SOON));

        assertThat(thrown)
                .hasMessage("Message 4711 to topic orders is stored on the master, but a failover may lose it:"
                        + " 0 of 1 replicas confirmed it within 10 ms. Send the message of this exception again;"
                        + " Redis recognises a repeat.");
        assertThat(template.find("orders", "4711")).isPresent();
        unconfirmed(thrown.delayMessage());
        replica.resume();
        assertThat(template.send(
                        thrown.delayMessage().toBuilder().durability(LATE).build()))
                .isInstanceOf(Accepted.class);
        assertThat(queue.recorded.lines()).containsExactly("sent orders 1");
    }

    @Test
    void eachMessageOfABatchHasItsOwnDurability() {
        template.send(message("dup", LATE));
        replica.pause();

        BatchSendException thrown = catchThrowableOfType(
                BatchSendException.class,
                () -> template.sendAll(
                        List.of(message("plain", Durability.NONE), message("durable", SOON), message("dup", SOON))));

        assertThat(thrown.results().get(0)).isInstanceOf(Accepted.class);
        assertThat(thrown.results().get(1))
                .isInstanceOfSatisfying(
                        SendResult.Unknown.class,
                        unknown -> assertThat(unknown.reason()).isEqualTo(Reason.NOT_CONFIRMED));
        assertThat(thrown.results().get(2)).isInstanceOf(Duplicate.class);
    }

    @Test
    void otherSendsOfTheShardAreNotDelayed() {
        replica.pause();
        CompletableFuture<?> durable = template.sendAsync(message("durable", LATE));
        await().until(() -> server.info("clients").get("blocked_clients").equals("1"));

        template.send(message("plain", Durability.NONE));

        assertThat(durable).isNotDone();
        replica.resume();
        durable.join();
    }

    @Test
    void durabilityOfTheTopicAppliesToSendCancelAndReschedule() {
        template.send("payout", "a", Duration.ofHours(1));
        String id = ((Accepted) template.send(DelayMessage.to("payout")
                        .payload("b")
                        .delay(Duration.ofHours(1))
                        .build()))
                .id();
        replica.pause();
        payout = SOON;

        assertThatThrownBy(() -> template.reschedule("payout", id, Duration.ofHours(2)))
                .isInstanceOfSatisfying(
                        DelayQueueUnavailableException.class,
                        e -> assertThat(e.isOutcomeUnknown()).isTrue())
                .hasMessageContaining("0 of 1 replicas confirmed it within 10 ms");
        assertThatThrownBy(() -> template.cancel("payout", id)).isInstanceOf(DelayQueueUnavailableException.class);
        assertThatThrownBy(() -> template.send("payout", "c")).isInstanceOf(OutcomeUnknownException.class);
        template.send(DelayMessage.to("payout")
                .payload("d")
                .durability(Durability.NONE)
                .build());

        payout = LATE;
        replica.resume();
        await().until(() -> template.cancel("payout", id) == CancelOutcome.NOT_FOUND);
        await().until(() -> template.reschedule("payout", id, Duration.ofHours(2)) == RescheduleOutcome.NOT_FOUND);
    }

    @Test
    void settlementOfAReceiverIsConfirmedOrFails() {
        AtomicReference<Durability> durability = new AtomicReference<>(LATE);
        try (DefaultDelayQueueReceiver durable =
                builder().durability(topic -> durability.get()).build()) {
            for (String id : List.of("a", "b", "c")) {
                send(id, Duration.ZERO);
            }
            List<LeasedDelivery> received = durable.receive("orders", 3, LONG);
            String messages =
                    new String(queue.keySpace.of(Shard.single("orders")).messages());

            assertThat(join(received.get(0).acknowledge())).isTrue();
            assertThat(replica.command("HEXISTS", messages, "a")).isEqualTo(0L);
            assertThat(join(received.get(0).acknowledge())).isFalse();

            replica.pause();
            durability.set(SOON);
            assertThatThrownBy(() -> join(received.get(1).acknowledge()))
                    .hasRootCauseMessage("0 of 1 replicas confirmed it within 10 ms")
                    .rootCause()
                    .isInstanceOfSatisfying(
                            RedisCallException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_CONFIRMED));
            assertThat(server.command("HEXISTS", messages, "b")).isEqualTo(0L);

            replica.resume();
            durability.set(LATE);
            assertThat(join(received.get(1).acknowledge())).isFalse();
            assertThat(join(received.get(2).acknowledge())).isTrue();
        }
    }
}
