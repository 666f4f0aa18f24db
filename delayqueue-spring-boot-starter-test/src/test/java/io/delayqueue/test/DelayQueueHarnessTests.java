package io.delayqueue.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.SendResult;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.MessageRejectedException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;

/** The harness of a queue whose tasks run in the background. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {"delayqueue.namespace=harness", "delayqueue.topics[failing].max-attempts=2"})
class DelayQueueHarnessTests {

    @Autowired
    private DelayQueueTemplate delayQueue;

    @Autowired
    private DelayQueueHarness harness;

    @Autowired
    private DelayQueueAdmin admin;

    private DelayQueueHarness impatient;

    @BeforeEach
    void forget(@Autowired ShortTimeoutHarness other) {
        harness.forget();
        impatient = other.harness();
    }

    @Test
    void awaitsAnAcknowledgement() {
        send("orders", "one", Duration.ofMillis(100));
        harness.awaitAcknowledged("orders", "one");
        harness.awaitEmpty("orders");
    }

    @Test
    void awaitsManyAcknowledgements() {
        for (int i = 0; i < 20; i++) {
            delayQueue.send("orders", "text");
        }
        harness.awaitAcknowledged("orders", 20);
    }

    private static final class WithoutCreator {

        private final String name;

        WithoutCreator(String name, boolean ignored) {
            this.name = name + ignored;
        }

        @JsonProperty
        String name() {
            return name;
        }
    }

    @Test
    void payloadThatCannotBeReadFailsTheSend() {
        assertThatExceptionOfType(MessageRejectedException.class)
                .isThrownBy(() -> delayQueue.send("others", new WithoutCreator("a", true)))
                .withMessageContaining("could not be read when it is due");
    }

    @Test
    void makesAMessageDue() {
        send("orders", "far", Duration.ofDays(30));
        harness.makeDue("orders", "far");
        harness.awaitAcknowledged("orders", "far");
    }

    @Test
    void onlyScheduledMessagesCanBeMadeDue() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> harness.makeDue("orders", "nobody"))
                .withMessageContaining("Message 'nobody' of topic 'orders' cannot be made due")
                .withMessageContaining("the message does not exist");
    }

    @Test
    void movesAllDueTimes() {
        send("orders", "in 1 h", Duration.ofHours(1));
        send("orders", "in 3 h", Duration.ofHours(3));
        assertThat(harness.moveDueTimes("orders", Duration.ofHours(2))).isEqualTo(2);
        harness.awaitAcknowledged("orders", "in 1 h");
        MessageSnapshot later = harness.awaitScheduled("orders", "in 3 h");
        assertThat(Duration.between(later.envelope().sentAt(), later.dueAt())).isEqualTo(Duration.ofHours(1));
        delayQueue.cancel("orders", "in 3 h");
    }

    @Test
    void movedMessagesKeepTheirSettings() {
        Map<String, UnaryOperator<DelayMessage.Builder>> kinds = Map.of(
                "attempts", builder -> builder.maxAttempts(3),
                "lease", builder -> builder.lease(Duration.ofMinutes(7)),
                "expiring", builder -> builder.expireAfter(Duration.ofMinutes(5)),
                "dated", builder -> builder.expireAt(Instant.parse("2100-01-01T00:00:00Z")),
                "plain", builder -> builder);
        kinds.forEach((id, kind) -> delayQueue.send(kind.apply(DelayMessage.to("orders")
                        .id(id)
                        .payload("text")
                        .header("tag", "7")
                        .delay(Duration.ofHours(3)))
                .build()));
        Map<String, MessageSnapshot> before = found(kinds.keySet());

        assertThat(harness.moveDueTimes("orders", Duration.ofHours(2))).isEqualTo(kinds.size());

        assertMoved(before, Duration.ofHours(2));
        harness.moveDueTimes("orders", Duration.ofHours(1));
        kinds.keySet().forEach(id -> harness.awaitAcknowledged("orders", id));
    }

    /** A time is stored in bytes, each of which may have the value of a digit or a line break. */
    @Test
    void movedMessagesAreReadableForAnyBytesOfTheirTimes() {
        List<DelayMessage> messages = IntStream.range(0, 300)
                .mapToObj(i -> DelayMessage.to("orders")
                        .payload("text")
                        .delay(Duration.ofHours(2).plusMillis(i))
                        .build())
                .toList();
        Set<String> ids =
                delayQueue.sendAll(messages).stream().map(SendResult::id).collect(Collectors.toSet());
        Map<String, MessageSnapshot> before = found(ids);

        assertThat(harness.moveDueTimes("orders", Duration.ofHours(1))).isEqualTo(messages.size());

        assertMoved(before, Duration.ofHours(1));
        assertThat(harness.moveDueTimes("orders", Duration.ofHours(1))).isEqualTo(messages.size());
        harness.awaitEmpty("orders");
        assertThat(admin.counts("orders").dead()).isZero();
    }

    private void assertMoved(Map<String, MessageSnapshot> before, Duration by) {
        found(before.keySet()).forEach((id, moved) -> {
            MessageSnapshot old = Objects.requireNonNull(before.get(id));
            assertThat(moved.dueAt()).isEqualTo(old.dueAt().minus(by));
            assertThat(moved.lastFailure()).isNull();
            assertThat(moved.envelope().dueAt()).isEqualTo(moved.dueAt());
            assertThat(moved.envelope())
                    .usingRecursiveComparison()
                    .ignoringFields("dueAt")
                    .isEqualTo(old.envelope());
        });
    }

    private Map<String, MessageSnapshot> found(Set<String> ids) {
        return ids.stream()
                .collect(Collectors.toMap(
                        id -> id, id -> delayQueue.find("orders", id).orElseThrow()));
    }

    @Test
    void awaitsADeadLetterAndARetryBefore() {
        send("failing", "poison", Duration.ZERO);
        MessageSnapshot retried = awaitRetry("poison");
        assertThat(retried.attempts()).isOne();
        harness.makeDue("failing", "poison");
        DeadLetter deadLetter = harness.awaitDead("failing", "poison");
        assertThat(deadLetter.cause()).isEqualTo(DeadLetterCause.ATTEMPTS_SPENT);
    }

    private MessageSnapshot awaitRetry(String id) {
        MessageSnapshot found;
        do {
            found = harness.awaitScheduled("failing", id);
        } while (found.attempts() == 0);
        return found;
    }

    @Test
    void failureSaysThatAMessageIsScheduled() {
        send("orders", "far", Duration.ofDays(30));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> impatient.awaitAcknowledged("orders", "far"))
                .withMessageContaining("Message 'far' of topic 'orders' was not acknowledged within 50 ms")
                .withMessageContaining("it is scheduled, due at 2")
                .withMessageContaining("attempts so far 0");
        delayQueue.cancel("orders", "far");
    }

    @Test
    void failureSaysThatAMessageIsDeadLettered() {
        send("failing", "dead", Duration.ZERO);
        awaitRetry("dead");
        harness.makeDue("failing", "dead");
        harness.awaitDead("failing", "dead");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> impatient.awaitAcknowledged("failing", "dead"))
                .withMessageContaining("it was dead-lettered at")
                .withMessageContaining("ATTEMPTS_SPENT")
                .withMessageContaining("no luck");
    }

    @Test
    void failureSaysThatAMessageDoesNotExist() {
        send("orders", "one", Duration.ZERO);
        harness.awaitAcknowledged("orders", "one");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> impatient.awaitDead("orders", "other"))
                .withMessageContaining("the message does not exist. Acknowledged messages: [one].");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> impatient.awaitDead("orders", "one"))
                .withMessageContaining("it was acknowledged.");
    }

    @Test
    void failureShowsTheCountsOfATopic() {
        send("orders", "far", Duration.ofDays(30));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> impatient.awaitAcknowledged("orders", 3))
                .withMessageContaining("must have 3 acknowledged messages, but had 0")
                .withMessageContaining("scheduled 1");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> impatient.awaitEmpty("orders"))
                .withMessageContaining("Topic 'orders' was not empty");
        delayQueue.cancel("orders", "far");
    }

    @Test
    void tasksInTheBackgroundCannotBeRun() {
        assertThatIllegalStateException()
                .isThrownBy(harness::runUntilIdle)
                .withMessageContaining("delayqueue-test.tasks=manual");
        assertThatIllegalStateException().isThrownBy(harness::runTasks);
        assertThatIllegalStateException()
                .isThrownBy(() -> harness.advance(Duration.ofDays(1)))
                .withMessageContaining("delayqueue-test.tasks=manual");
    }

    private void send(String topic, String id, Duration delay) {
        delayQueue.send(
                DelayMessage.to(topic).id(id).payload("text").delay(delay).build());
    }

    record ShortTimeoutHarness(DelayQueueHarness harness) {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        @DelayListener("orders")
        void handle(String text) {}

        @DelayListener(topic = "failing", backoff = "fixed 1h")
        void fail(String text) {
            throw new IllegalStateException("no luck");
        }

        @Bean
        ShortTimeoutHarness impatientHarness(
                MessageStore store,
                TopicRegistry topics,
                DelayQueueAdmin admin,
                ShardReader reader,
                AcknowledgedMessages acknowledged) {
            return new ShortTimeoutHarness(new DelayQueueHarness(
                    store, topics, admin, new DueTimes(store, reader), acknowledged, Duration.ofMillis(50), null));
        }
    }
}
