package io.delayqueue.template;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Kept;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Replaced;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

class SendTests extends RedisTest {

    record Broken() {
        @JsonProperty
        String failing() {
            throw new IllegalStateException("no");
        }
    }

    private MessageSnapshot found(String topic, String id) {
        return queue.template().find(topic, id).orElseThrow();
    }

    private String stored(String topic, String id) {
        byte[] key = queue.keySpace.of(Shard.single(topic)).messages();
        return (String) server.command("HGET", new String(key, UTF_8), id);
    }

    @Test
    void aDelayIsCountedByRedisClock() {
        Accepted accepted = (Accepted) queue.template().send("orders", "hello", Duration.ofMinutes(30));

        MessageSnapshot message = found("orders", accepted.id());
        assertThat(message.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(message.dueAt()).isEqualTo(accepted.dueAt());
        assertThat(message.dueAt()).isEqualTo(message.envelope().sentAt().plus(Duration.ofMinutes(30)));
        assertThat(queue.recorded.lines()).containsExactly("sent orders 1");
    }

    @Test
    void withoutDelayOrWithAPassedDateItIsReadyAtOnce() {
        String id = queue.template().send("orders", "hello").id();
        String passed = queue.template()
                .send("orders", "hello", SystemClock.now().minusSeconds(1))
                .id();

        assertThat(found("orders", id).state()).isEqualTo(MessageState.READY);
        assertThat(found("orders", passed).state()).isEqualTo(MessageState.READY);
    }

    @Test
    void textAndBytesAreStoredAsTheyAre() {
        queue.template()
                .send(DelayMessage.to("orders").id("t").payload("plain text").build());
        queue.template()
                .send(DelayMessage.to("orders")
                        .id("b")
                        .payload(new byte[] {1, 2})
                        .build());

        assertThat(stored("orders", "t")).endsWith("\n\nplain text");
        assertThat(found("orders", "b").envelope().payload()).containsExactly(1, 2);
    }

    @Test
    void aLiveMessageIsKeptOrReplacedWhereAsked() {
        DelayMessage first = DelayMessage.to("orders").id("4711").payload("a").build();
        queue.template().send(first);

        SendResult kept = queue.template()
                .send(first.toBuilder()
                        .payload("b")
                        .onDuplicate(OnDuplicate.KEEP)
                        .build());
        assertThat(kept).isEqualTo(new Kept("orders", "4711"));
        assertThat(stored("orders", "4711")).endsWith("\n\na");

        SendResult replaced = queue.template()
                .send(first.toBuilder()
                        .payload("c")
                        .onDuplicate(OnDuplicate.REPLACE)
                        .build());
        assertThat(replaced).isInstanceOf(Replaced.class);
        assertThat(stored("orders", "4711")).endsWith("\n\nc");
    }

    @Test
    void aSendThatRedisRecognisesAsARepeatIsNotReportedAgain() {
        for (int i = 0; i < 2; i++) {
            queue.template()
                    .send(DelayMessage.to("orders")
                            .id("v")
                            .payload("p")
                            .delay(Duration.ofHours(1))
                            .version(1)
                            .build());
        }

        assertThat(queue.recorded.lines()).containsExactly("sent orders 1");
    }

    @Test
    void aPayloadThatCannotBeConvertedIsRejected() {
        MessageRejectedException rejected = catchThrowableOfType(
                MessageRejectedException.class, () -> queue.template().send("orders", new Broken()));

        assertThat(rejected.topic()).isEqualTo("orders");
        assertThat(rejected.reason()).isEqualTo(Reason.FAILED);
        assertThat(rejected.detail()).contains("JSON");
        assertThat(rejected.id()).hasSize(22);
        assertThat(queue.proxy.traffic().requests()).isZero();
    }

    @Test
    void anUnreachableRedisRejects() {
        queue.proxy.refuse();

        assertThatThrownBy(() -> queue.template().send("orders", "hello")).isInstanceOf(MessageRejectedException.class);
    }

    @Test
    void anUnknownOutcomeCarriesAMessageWhoseRepeatIsRecognised() {
        queue.template().send("orders", "registers the topic");
        for (DelayMessage message : List.of(
                DelayMessage.to("orders")
                        .payload("generated")
                        .delay(Duration.ofHours(1))
                        .build(),
                DelayMessage.to("orders")
                        .id("4711")
                        .payload("named")
                        .delay(Duration.ofHours(1))
                        .build())) {
            queue.faults.loseReplies("send");
            OutcomeUnknownException unknown = catchThrowableOfType(
                    OutcomeUnknownException.class, () -> queue.template().send(message));
            queue.faults.pass();

            Instant due = found("orders", unknown.delayMessage().id()).dueAt();

            Accepted repeat = (Accepted) queue.template().send(unknown.delayMessage());

            assertThat(repeat.dueAt()).isEqualTo(due);
            assertThatThrownBy(() -> queue.template()
                            .send(DelayMessage.to("orders")
                                    .id(repeat.id())
                                    .payload("other")
                                    .build()))
                    .isInstanceOf(DuplicateMessageException.class);
        }
        assertThat(Await.result(queue.store.count(Shard.single("orders")))
                        .counts()
                        .scheduled())
                .isEqualTo(2);
    }

    @Test
    void expiryBeforeTheEndOfTheDelayIsRejected() {
        Instant expiry = SystemClock.now().plus(Duration.ofMinutes(5));

        assertThatThrownBy(() -> queue.template().send(expiring(expiry, Duration.ofMinutes(10))))
                .isInstanceOf(MessageRejectedException.class)
                .hasMessageContaining("expires");
        assertThat(queue.template().send(expiring(expiry, Duration.ofMinutes(1))))
                .isInstanceOf(Accepted.class);
    }

    private static DelayMessage expiring(Instant expiry, Duration delay) {
        return DelayMessage.to("orders")
                .payload("a")
                .delay(delay)
                .expireAt(expiry)
                .build();
    }

    @Test
    void insideTheCallersMultiItIsSentAtOnceAndOutsideOfIt() {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(queue.proxy.host(), queue.proxy.port());
        factory.start();
        StringRedisTemplate application = new StringRedisTemplate(factory);

        List<Object> results = application.execute(new SessionCallback<List<Object>>() {
            @Override
            @SuppressWarnings("unchecked")
            public <K, V> List<Object> execute(RedisOperations<K, V> operations) {
                operations.multi();
                ((RedisOperations<String, String>) operations).opsForValue().set("own", "1");
                queue.template()
                        .send(DelayMessage.to("orders").id("4711").payload("a").build());
                assertThat(found("orders", "4711").id()).isEqualTo("4711");
                assertThat(server.command("GET", "own")).isNull();
                operations.discard();
                return List.of();
            }
        });
        factory.destroy();

        assertThat(results).isEmpty();
        assertThat(found("orders", "4711").id()).isEqualTo("4711");
    }

    @Test
    void anErrorAfterAWriteLeavesTheOutcomeUnknownAndTheRepeatIsRecognised() {
        queue.open("orders");
        String schedule = new String(queue.keySpace.of(Shard.single("orders")).schedule(), UTF_8);
        server.command("RENAME", schedule, "aside");
        server.command("SET", schedule, "of a wrong type");

        OutcomeUnknownException unknown = catchThrowableOfType(
                OutcomeUnknownException.class, () -> queue.template().send("orders", "hello"));

        assertThat(unknown).hasMessageContaining("may have followed a write").hasMessageContaining("WRONGTYPE");
        server.command("RENAME", "aside", schedule);
        assertThat(queue.template().send(unknown.delayMessage())).isInstanceOf(Accepted.class);
        assertThat(found("orders", unknown.delayMessage().id()).state()).isEqualTo(MessageState.READY);
    }
}
