package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.message.Durability;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.RedisCallException.Kind;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Settlements of a receiver that a replica must confirm. */
@EmbeddedRedis(dedicated = true)
class DurableSettlementTests extends ReceiveTest {

    private static final Durability SOON = Durability.replicas(1, Duration.ofMillis(10));
    private static final Durability LATE = Durability.replicas(1, Duration.ofSeconds(60));

    @Test
    void settlementIsConfirmedOrFails() {
        server.command("CONFIG", "SET", "repl-diskless-sync-delay", "0");
        AtomicReference<Durability> durability = new AtomicReference<>(LATE);
        try (RedisServerProcess replica = RedisServerProcess.builder()
                        .setting("replicaof", server.host(), Integer.toString(server.port()))
                        .start();
                DefaultDelayQueueReceiver durable =
                        builder().durability(topic -> durability.get()).build()) {
            await().until(() -> server.info("replication").toString().contains("state=online"));
            for (String id : List.of("a", "b", "c")) {
                send(id, Duration.ZERO);
            }
            List<LeasedDelivery> received = durable.receive("orders", 3, LONG, LEASE);
            String messages = new String(queue.keySpace()
                    .of(io.delayqueue.message.Shard.single("orders"))
                    .messages());

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
