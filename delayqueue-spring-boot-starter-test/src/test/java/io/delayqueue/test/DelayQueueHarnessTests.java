package io.delayqueue.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DeathCause;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.DelayQueueTemplate;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;

/** The harness beside a queue that works by itself. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {"delayqueue.namespace=harness", "delayqueue.topics[failing].max-attempts=2"})
class DelayQueueHarnessTests {

    @Autowired
    private DelayQueueTemplate delayQueue;

    @Autowired
    private DelayQueueHarness harness;

    private DelayQueueHarness impatient;

    @BeforeEach
    void forget(@Autowired ImpatientHarness other) {
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

    @Test
    void makesAMessageDue() {
        send("orders", "far", Duration.ofDays(30));
        harness.makeDue("orders", "far");
        harness.awaitAcknowledged("orders", "far");
    }

    @Test
    void whatIsNotScheduledCannotBeMadeDue() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> harness.makeDue("orders", "nobody"))
                .withMessageContaining("Message 'nobody' of topic 'orders' can't be made due")
                .withMessageContaining("there is no such message");
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
    void awaitsADeathAndARetryBefore() {
        send("failing", "poison", Duration.ZERO);
        MessageSnapshot retried = awaitRetry("poison");
        assertThat(retried.attempts()).isOne();
        harness.makeDue("failing", "poison");
        DeadLetter letter = harness.awaitDead("failing", "poison");
        assertThat(letter.cause()).isEqualTo(DeathCause.ATTEMPTS_SPENT);
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
                .withMessageContaining("Message 'far' of topic 'orders' was not acknowledged within PT0.05S")
                .withMessageContaining("it is scheduled, due at 2")
                .withMessageContaining("attempts so far 0");
        delayQueue.cancel("orders", "far");
    }

    @Test
    void failureSaysThatAMessageDied() {
        send("failing", "dead", Duration.ZERO);
        awaitRetry("dead");
        harness.makeDue("failing", "dead");
        harness.awaitDead("failing", "dead");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> impatient.awaitAcknowledged("failing", "dead"))
                .withMessageContaining("it died at")
                .withMessageContaining("ATTEMPTS_SPENT")
                .withMessageContaining("no luck");
    }

    @Test
    void failureSaysThatThereIsNoSuchMessage() {
        send("orders", "one", Duration.ZERO);
        harness.awaitAcknowledged("orders", "one");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> impatient.awaitDead("orders", "other"))
                .withMessageContaining("there is no such message. Acknowledged were [one].");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> impatient.awaitDead("orders", "one"))
                .withMessageContaining("it was acknowledged.");
    }

    @Test
    void failureSaysHowManyStandWhere() {
        send("orders", "far", Duration.ofDays(30));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> impatient.awaitAcknowledged("orders", 3))
                .withMessageContaining("0 messages and not 3 were acknowledged")
                .withMessageContaining("scheduled 1");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> impatient.awaitEmpty("orders"))
                .withMessageContaining("Topic 'orders' was not empty");
        delayQueue.cancel("orders", "far");
    }

    @Test
    void stepsOfAQueueThatWorksByItselfAreNotRun() {
        assertThatIllegalStateException()
                .isThrownBy(harness::runUntilIdle)
                .withMessageContaining("delayqueue-test.steps=manual");
        assertThatIllegalStateException().isThrownBy(harness::runSteps);
    }

    private void send(String topic, String id, Duration delay) {
        delayQueue.send(
                DelayMessage.to(topic).id(id).payload("text").delay(delay).build());
    }

    record ImpatientHarness(DelayQueueHarness harness) {}

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
        ImpatientHarness impatientHarness(
                MessageStore store,
                TopicRegistry topics,
                DelayQueueAdmin admin,
                DueTimes dueTimes,
                WhatHappened happened) {
            return new ImpatientHarness(
                    new DelayQueueHarness(store, topics, admin, dueTimes, happened, Duration.ofMillis(50), null));
        }
    }
}
