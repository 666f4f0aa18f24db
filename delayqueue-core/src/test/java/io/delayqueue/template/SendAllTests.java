package io.delayqueue.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Kept;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Replaced;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.test.redis.RedisRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SendAllTests extends RedisTest {

    private static DelayMessage message(String id) {
        return message(id, "orders");
    }

    private static DelayMessage message(String id, String topic) {
        return DelayMessage.to(topic).id(id).payload("p" + id).build();
    }

    private static List<DelayMessage> messages(int count) {
        return IntStream.range(0, count).mapToObj(i -> message("m" + i)).toList();
    }

    private long scripts() {
        return queue.proxy.traffic().recorded().stream()
                .filter(RedisRequest::isScript)
                .count();
    }

    /** A process that sends to an existing topic for the first time. */
    private void secondProcess() {
        queue.template().send("orders", "first");
        queue.close();
        queue = new QueueOnRedis(server);
        queue.proxy.traffic().startRecording();
    }

    @Test
    void twelveHundredMessagesAreFiveScriptsAndARegistration() {
        secondProcess();

        List<Success> results = queue.template().sendAll(messages(1200));

        assertThat(scripts()).isEqualTo(1 + 5);
        assertThat(results).hasSize(1200).allMatch(Accepted.class::isInstance);
        assertThat(results).extracting(SendResult::id).startsWith("m0", "m1").endsWith("m1199");
        assertThat(Await.result(queue.store.count(Shard.single("orders")))
                        .counts()
                        .ready())
                .isEqualTo(1201);
        assertThat(queue.recorded.lines())
                .containsExactlyInAnyOrder(
                        "sent orders 250", "sent orders 250", "sent orders 250", "sent orders 250", "sent orders 200");
    }

    @Test
    void noMessagesAreNoCommand() {
        assertThat(queue.template().sendAll(List.of())).isEmpty();
        assertThat(queue.proxy.traffic().requests()).isZero();
    }

    @Test
    void eachTopicIsAScriptOfItsOwnAndResultsKeepTheirOrder() {
        List<Success> results = queue.template()
                .sendAll(List.of(
                        message("1"),
                        DelayMessage.to("parcels").id("2").payload("p").build(),
                        message("3")));

        assertThat(results).extracting(SendResult::topic).containsExactly("orders", "parcels", "orders");
        assertThat(results).extracting(SendResult::id).containsExactly("1", "2", "3");
    }

    @Test
    void aFailedMessageAffectsNoOtherAndAllResultsAreReported() {
        queue.template().send(message("live"));
        queue.recorded.clear();

        BatchSendException failed = catchThrowableOfType(
                BatchSendException.class,
                () -> queue.template()
                        .sendAll(List.of(
                                message("a"),
                                message("live"),
                                DelayMessage.to("orders")
                                        .id("large")
                                        .payload(new byte[2_000_000])
                                        .build(),
                                message("live").toBuilder()
                                        .onDuplicate(OnDuplicate.KEEP)
                                        .build(),
                                message("a"),
                                message("b"))));

        assertThat(failed.results())
                .extracting(SendResult::getClass)
                .extracting(Class::getSimpleName)
                .containsExactly("Accepted", "Duplicate", "Rejected", "Kept", "Duplicate", "Accepted");
        assertThat(failed.failed()).extracting(SendResult::id).containsExactly("live", "large", "a");
        assertThat(failed).hasMessageContaining("3 of 6").hasMessageContaining("max-payload-size");
        assertThat(queue.recorded.lines())
                .containsExactlyInAnyOrder(
                        "sent orders 1", "sent orders 1", "duplicate orders live", "duplicate orders a");
    }

    @Test
    void ofTwoWithOneIdTheSecondMayKeepOrReplaceTheFirst() {
        List<Success> results = queue.template()
                .sendAll(List.of(
                        message("a"),
                        message("a").toBuilder().onDuplicate(OnDuplicate.KEEP).build(),
                        message("a").toBuilder()
                                .onDuplicate(OnDuplicate.REPLACE)
                                .payload("new")
                                .build()));

        assertThat(results.get(0)).isInstanceOf(Accepted.class);
        assertThat(results.get(1)).isInstanceOf(Kept.class);
        assertThat(results.get(2)).isInstanceOf(Replaced.class);
        assertThat(queue.template().find("orders", "a").orElseThrow().envelope().payload())
                .isEqualTo("new".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void fullMemoryIsReportedForEachMessageOfAnUnknownTopic() {
        queue.template().send("orders", "first");
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            BatchSendException failed = catchThrowableOfType(
                    BatchSendException.class,
                    () -> queue.template().sendAll(List.of(message("a", "one"), message("b", "two"))));

            assertThat(failed.results())
                    .allSatisfy(
                            result -> assertThat(((Rejected) result).reason()).isEqualTo(Reason.MEMORY_FULL));
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
    }
}
