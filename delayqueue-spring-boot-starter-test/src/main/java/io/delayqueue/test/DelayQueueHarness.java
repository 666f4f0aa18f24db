package io.delayqueue.test;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.LetterPage;
import io.delayqueue.admin.TopicCounts;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Due;
import io.delayqueue.message.Failure;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.test.steps.ManualSteps;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a test of an application with a delay queue needs: awaits what becomes of messages, makes them due, and, where
 * {@code delayqueue-test.steps} is {@code manual}, has the queue work when the test says so. A bean of the
 * auto-configuration. Thread-safe.
 *
 * <p>What is awaited must come within {@code delayqueue-test.timeout}, 30 s unless said; if it doesn't, an
 * {@link AssertionError} says in what state the message is. With steps by hand, awaiting runs them.
 */
public final class DelayQueueHarness {

    private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(20);

    private final MessageStore store;
    private final TopicRegistry topics;
    private final DelayQueueAdmin admin;
    private final DueTimes dueTimes;
    private final WhatHappened happened;
    private final Duration timeout;
    private final @Nullable ManualSteps steps;

    DelayQueueHarness(
            MessageStore store,
            TopicRegistry topics,
            DelayQueueAdmin admin,
            DueTimes dueTimes,
            WhatHappened happened,
            Duration timeout,
            @Nullable ManualSteps steps) {
        this.store = store;
        this.topics = topics;
        this.admin = admin;
        this.dueTimes = dueTimes;
        this.happened = happened;
        this.timeout = timeout;
        this.steps = steps;
    }

    // ---- awaiting --------------------------------------------------------------------------------------------------

    /** Waits until this application has acknowledged a message, since it started or {@link #forget()} was called. */
    public void awaitAcknowledged(String topic, String id) {
        await(
                () -> happened.isAcknowledged(topic, id) ? Optional.of(id) : Optional.empty(),
                () -> describe(topic, id) + " was not acknowledged within " + timeout + ": " + state(topic, id));
    }

    /** Waits until this application has acknowledged at least so many messages of a topic, since the same moment. */
    public void awaitAcknowledged(String topic, int count) {
        await(
                () -> happened.acknowledgedCount(topic) >= count ? Optional.of(count) : Optional.empty(),
                () -> "Of topic '" + topic + "', " + happened.acknowledgedCount(topic) + " messages and not " + count
                        + " were acknowledged within " + timeout + ": " + counts(topic));
    }

    /**
     * Waits until a message has gone to the dead letters, whoever buried it.
     *
     * @return its youngest dead letter
     */
    public DeadLetter awaitDead(String topic, String id) {
        return await(
                () -> letter(topic, id),
                () -> describe(topic, id) + " did not die within " + timeout + ": " + state(topic, id));
    }

    /**
     * Waits until a message is scheduled: sent, or waiting for its next attempt; due or not.
     *
     * @return what is known of it
     */
    public MessageSnapshot awaitScheduled(String topic, String id) {
        return await(
                () -> find(topic, id).filter(found -> found.state() != MessageState.LEASED),
                () -> describe(topic, id) + " was not scheduled within " + timeout + ": " + state(topic, id));
    }

    /** Waits until a topic has no live message: none scheduled, none being handled. */
    public void awaitEmpty(String topic) {
        await(
                () -> Optional.of(admin.counts(topic))
                        .filter(counts -> counts.scheduled() + counts.ready() + counts.leased() == 0),
                () -> "Topic '" + topic + "' was not empty within " + timeout + ": " + counts(topic));
    }

    /**
     * Waits for a future of the queue: what an asynchronous send, {@code receiveAsync} or an acknowledgement gave.
     *
     * @return its value
     * @throws java.util.concurrent.CompletionException if it failed
     */
    public <T extends @Nullable Object> T await(CompletableFuture<T> future) {
        await(
                () -> future.isDone() ? Optional.of(true) : Optional.empty(),
                () -> "The future did not end within " + timeout + ".");
        return future.join();
    }

    /** Forgets what was acknowledged so far, for a test that shares its application with others. */
    public void forget() {
        happened.forget();
    }

    private <T> T await(Supplier<Optional<T>> wanted, Supplier<String> complaint) {
        long end = System.nanoTime() + timeout.toNanos();
        try {
            while (true) {
                if (steps != null) {
                    steps.runUntilIdle();
                }
                Optional<T> found = wanted.get();
                if (found.isPresent()) {
                    return found.get();
                }
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new AssertionError(complaint.get());
                }
                happened.await(Math.min(left, LOOK_AGAIN));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted. " + complaint.get(), e);
        }
    }

    // ---- due times -------------------------------------------------------------------------------------------------

    /**
     * Makes a scheduled message due now.
     *
     * @throws AssertionError if it is not scheduled
     */
    public void makeDue(String topic, String id) {
        Optional<RescheduleOutcome> outcome = topics.lookFor(topic, id, shard -> store.reschedule(shard, id, Due.NOW));
        if (outcome.filter(RescheduleOutcome.RESCHEDULED::equals).isEmpty()) {
            throw new AssertionError(describe(topic, id) + " can't be made due: " + state(topic, id));
        }
    }

    /**
     * Moves the due times of all scheduled messages of a topic, retries included, as if so much time had gone by. Expiry
     * is not moved.
     *
     * @param earlier how much earlier
     * @return how many messages were moved
     */
    public long moveDueTimes(String topic, Duration earlier) {
        return topics.registeredShards(topic).orElse(List.of()).stream()
                .mapToLong(shard -> dueTimes.moveEarlier(shard, earlier))
                .sum();
    }

    // ---- steps by hand ---------------------------------------------------------------------------------------------

    /**
     * Has every listener look at its topic once; what it finds is handled on this thread.
     *
     * @return how many steps the queue took
     * @throws IllegalStateException unless {@code delayqueue-test.steps} is {@code manual}; or if a step fails
     */
    public int runSteps() {
        return manual().runSteps();
    }

    /**
     * Has the queue work until there is nothing to do before time goes by: all that is due was handled on this thread
     * and answered.
     *
     * @return how many steps the queue took
     * @throws IllegalStateException unless {@code delayqueue-test.steps} is {@code manual}; or if a step fails
     */
    public int runUntilIdle() {
        return manual().runUntilIdle();
    }

    private ManualSteps manual() {
        if (steps == null) {
            throw new IllegalStateException("The queue works by itself; set delayqueue-test.steps=manual");
        }
        return steps;
    }

    // ---- what is known ---------------------------------------------------------------------------------------------

    private Optional<MessageSnapshot> find(String topic, String id) {
        return topics.lookFor(topic, id, shard -> store.find(shard, id)).flatMap(Function.identity());
    }

    private Optional<DeadLetter> letter(String topic, String id) {
        LetterPage page = admin.letters(topic, DelayQueueAdmin.MAX_PAGE);
        while (true) {
            Optional<DeadLetter> found = page.letters().stream()
                    .filter(letter -> letter.messageId().equals(id))
                    .findFirst();
            if (found.isPresent() || page.next() == null) {
                return found;
            }
            page = admin.letters(topic, DelayQueueAdmin.MAX_PAGE, page.next());
        }
    }

    private static String describe(String topic, String id) {
        return "Message '" + id + "' of topic '" + topic + "'";
    }

    private String state(String topic, String id) {
        return find(topic, id)
                .map(DelayQueueHarness::live)
                .or(() -> letter(topic, id).map(DelayQueueHarness::dead))
                .orElseGet(() -> happened.isAcknowledged(topic, id)
                        ? "it was acknowledged."
                        : "there is no such message. Acknowledged were " + happened.acknowledgedIds(topic) + ".");
    }

    private static String live(MessageSnapshot found) {
        String failure = found.lastFailure() == null ? "" : "; last failure: " + found.lastFailure();
        return found.state() != MessageState.LEASED
                ? "it is scheduled, due at " + found.dueAt() + ", attempts so far " + found.attempts() + failure + "."
                : "it is held by " + found.holder() + " until " + found.leaseEnd() + ", attempt " + found.attempts()
                        + failure + ".";
    }

    private static String dead(DeadLetter letter) {
        Failure failure = letter.failure();
        return "it died at " + letter.diedAt() + " of " + letter.cause() + ", attempts " + letter.attempts()
                + (failure == null ? "" : ", failure: " + failure.summary()) + ".";
    }

    private String counts(String topic) {
        TopicCounts counts = admin.counts(topic);
        return "scheduled " + counts.scheduled() + ", due " + counts.ready() + ", being handled " + counts.leased()
                + ", dead " + counts.dead() + ".";
    }
}
