package io.delayqueue.test;

import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Failure;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.MessageState;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.redis.Await;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.test.tasks.ManualTasks;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Test support for applications with a delay queue: awaits the outcome of messages, makes messages due, and, if
 * {@code delayqueue-test.tasks} is {@code manual}, runs the queue's tasks and advances its time. A bean of the auto-configuration. Thread-safe.
 *
 * <p>Each await method fails with an {@link AssertionError} that has the state of the message if the condition is not
 * met within {@code delayqueue-test.timeout}, by default 30 s. In manual mode, await methods run the tasks.
 */
public final class DelayQueueHarness {

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final MessageStore store;
    private final TopicRegistry topics;
    private final DelayQueueAdmin admin;
    private final DueTimes dueTimes;
    private final AcknowledgedMessages acknowledged;
    private final Duration timeout;
    private final @Nullable ManualTasks tasks;

    DelayQueueHarness(
            MessageStore store,
            TopicRegistry topics,
            DelayQueueAdmin admin,
            DueTimes dueTimes,
            AcknowledgedMessages acknowledged,
            Duration timeout,
            @Nullable ManualTasks tasks) {
        this.store = store;
        this.topics = topics;
        this.admin = admin;
        this.dueTimes = dueTimes;
        this.acknowledged = acknowledged;
        this.timeout = timeout;
        this.tasks = tasks;
    }

    // ---- awaiting --------------------------------------------------------------------------------------------------

    /** Waits until this application has acknowledged a message, since it started or {@link #forget()} was called. */
    public void awaitAcknowledged(String topic, String id) {
        await(
                () -> acknowledged.contains(topic, id) ? Optional.of(id) : Optional.empty(),
                () -> describe(topic, id) + " was not acknowledged within " + DurationText.of(timeout) + ": "
                        + state(topic, id));
    }

    /**
     * Waits until this application has acknowledged at least a number of messages of a topic, since it started or
     * {@link #forget()} was called.
     */
    public void awaitAcknowledged(String topic, int count) {
        await(
                () -> acknowledged.count(topic) >= count ? Optional.of(count) : Optional.empty(),
                () -> "Topic '" + topic + "' must have " + count + " acknowledged messages, but had "
                        + acknowledged.count(topic) + " after " + DurationText.of(timeout) + ": " + counts(topic));
    }

    /**
     * Waits until a message is dead-lettered, by any application.
     *
     * @return the newest dead letter of the message
     */
    public DeadLetter awaitDead(String topic, String id) {
        return await(
                () -> deadLetter(topic, id),
                () -> describe(topic, id) + " was not dead-lettered within " + DurationText.of(timeout) + ": "
                        + state(topic, id));
    }

    /**
     * Waits until a message is scheduled, for its first or its next attempt, whether it is due or not.
     *
     * @return the state of the message
     */
    public MessageSnapshot awaitScheduled(String topic, String id) {
        return await(
                () -> find(topic, id).filter(found -> found.state() != MessageState.LEASED),
                () -> describe(topic, id) + " was not scheduled within " + DurationText.of(timeout) + ": "
                        + state(topic, id));
    }

    /** Waits until a topic has no live messages, neither scheduled nor leased. */
    public void awaitEmpty(String topic) {
        await(
                () -> Optional.of(admin.counts(topic))
                        .filter(counts -> counts.scheduled() + counts.ready() + counts.leased() == 0),
                () -> "Topic '" + topic + "' was not empty within " + DurationText.of(timeout) + ": " + counts(topic));
    }

    /**
     * Waits for a future of the queue, such as that of an asynchronous send, {@code receiveAsync} or an
     * acknowledgement.
     *
     * @return its value
     * @throws java.util.concurrent.CompletionException if it failed
     */
    public <T extends @Nullable Object> T await(CompletableFuture<T> future) {
        await(
                () -> future.isDone() ? Optional.of(true) : Optional.empty(),
                () -> "The future did not complete within " + DurationText.of(timeout) + ".");
        return future.join();
    }

    /** Resets the acknowledged messages, for tests that share an application context. */
    public void forget() {
        acknowledged.forget();
    }

    private <T> T await(Supplier<Optional<T>> wanted, Supplier<String> failureMessage) {
        long end = System.nanoTime() + timeout.toNanos();
        try {
            while (true) {
                if (tasks != null) {
                    tasks.runUntilIdle();
                }
                Optional<T> found = wanted.get();
                if (found.isPresent()) {
                    return found.get();
                }
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new AssertionError(failureMessage.get());
                }
                acknowledged.await(Math.min(left, POLL_NANOS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted. " + failureMessage.get(), e);
        }
    }

    // ---- due times -------------------------------------------------------------------------------------------------

    /**
     * Makes a scheduled message due now.
     *
     * @throws AssertionError if it is not scheduled
     */
    public void makeDue(String topic, String id) {
        Optional<RescheduleOutcome> outcome = Await.call(
                () -> topics.withShard(topic, id, shard -> store.reschedule(shard, id, Due.NOW, Durability.NONE)));
        if (outcome.filter(RescheduleOutcome.RESCHEDULED::equals).isEmpty()) {
            throw new AssertionError(describe(topic, id) + " cannot be made due: " + state(topic, id));
        }
    }

    /**
     * Moves the due times of all scheduled messages of a topic, including retries, as if time had passed. Each message
     * is rescheduled separately. An expiry date is not moved; an expiry time is relative to the new due time. Nor are the
     * time of the first send of a debounced message and the due time of a successor.
     *
     * @param earlier time by which messages become due earlier
     * @return number of moved messages
     */
    public long moveDueTimes(String topic, Duration earlier) {
        return Await.call(() -> topics.registeredShards(topic)).orElse(List.of()).stream()
                .mapToLong(shard -> dueTimes.moveEarlier(shard, earlier))
                .sum();
    }

    // ---- manual tasks ----------------------------------------------------------------------------------------------

    /**
     * Polls each listener's topic once. Received messages are handled on the calling thread.
     *
     * @return number of tasks that ran
     * @throws IllegalStateException unless {@code delayqueue-test.tasks} is {@code manual}; or if a task fails
     */
    public int runTasks() {
        return manual().runTasks();
    }

    /**
     * Runs tasks until no task is due: all due messages were handled on the calling thread and settled.
     *
     * @return number of tasks that ran
     * @throws IllegalStateException unless {@code delayqueue-test.tasks} is {@code manual}; or if a task fails
     */
    public int runUntilIdle() {
        return manual().runUntilIdle();
    }

    /**
     * Moves the time of the queue forward: Redis' clock in its scripts, the engine's clock, and {@link #clock()}. Stops
     * at each due time and lease end of the topics that this application consumes, and handles what is due there on the
     * calling thread, one handler at a time, in the order of the due times and then of the ids. Recurring messages
     * have each of their slots. The clocks stand still while handlers run, so that each handler sees the due time.
     * Real time does not pass: a quiet queue of years takes milliseconds.
     *
     * @param duration 1 ms to 3,650 d
     * @throws AssertionError if a handler does not end within {@code delayqueue-test.timeout} of real time. It names
     *     listener, topic and message. The handler is interrupted
     * @throws IllegalStateException unless {@code delayqueue-test.tasks} is {@code manual}; if another node consumes
     *     topics of the namespace; if another thread or a handler runs tasks; if Redis is a Cluster; or if a task fails
     * @throws IllegalArgumentException if the duration is out of its range
     */
    public void advance(Duration duration) {
        InvalidOptionException.requireRange("duration", duration, Duration.ofMillis(1), Duration.ofDays(3650));
        manual().advance(duration, timeout);
    }

    /**
     * The clock that {@link #advance} moves, for code of the application. If the application declares no
     * {@link java.time.InstantSource} bean, it is a bean.
     *
     * @throws IllegalStateException unless {@code delayqueue-test.tasks} is {@code manual}
     */
    public Clock clock() {
        return manual().clock();
    }

    private ManualTasks manual() {
        if (tasks == null) {
            throw new IllegalStateException("The queue's tasks run in the background. Set"
                    + " delayqueue-test.tasks=manual to run them from the test");
        }
        return tasks;
    }

    // ---- descriptions ----------------------------------------------------------------------------------------------

    private Optional<MessageSnapshot> find(String topic, String id) {
        return Await.call(() -> topics.withShard(topic, id, shard -> store.find(shard, id)))
                .flatMap(Function.identity());
    }

    private Optional<DeadLetter> deadLetter(String topic, String id) {
        DeadLetterPage page = admin.deadLetters(topic, DelayQueueAdmin.MAX_PAGE);
        while (true) {
            Optional<DeadLetter> found = page.deadLetters().stream()
                    .filter(deadLetter -> deadLetter.messageId().equals(id))
                    .findFirst();
            if (found.isPresent() || page.next() == null) {
                return found;
            }
            page = admin.deadLetters(topic, DelayQueueAdmin.MAX_PAGE, page.next());
        }
    }

    private static String describe(String topic, String id) {
        return "Message '" + id + "' of topic '" + topic + "'";
    }

    private String state(String topic, String id) {
        return find(topic, id)
                .map(DelayQueueHarness::live)
                .or(() -> deadLetter(topic, id).map(DelayQueueHarness::dead))
                .orElseGet(() -> acknowledged.contains(topic, id)
                        ? "it was acknowledged."
                        : "the message does not exist. Acknowledged messages: " + acknowledged.ids(topic) + ".");
    }

    private static String live(MessageSnapshot found) {
        String failure = found.lastFailure() == null ? "" : "; last failure: " + found.lastFailure();
        return found.state() != MessageState.LEASED
                ? "it is scheduled, due at " + found.dueAt() + ", attempts so far " + found.attempts() + failure + "."
                : "it is leased by " + found.holder() + " until " + found.leaseEnd() + ", attempt " + found.attempts()
                        + failure + ".";
    }

    private static String dead(DeadLetter deadLetter) {
        Failure failure = deadLetter.failure();
        return "it was dead-lettered at " + deadLetter.deadLetteredAt() + " with cause " + deadLetter.cause()
                + ", attempts "
                + deadLetter.attempts() + (failure == null ? "" : ", failure: " + failure.summary()) + ".";
    }

    private String counts(String topic) {
        TopicCounts counts = admin.counts(topic);
        return "scheduled " + counts.scheduled() + ", due " + counts.ready() + ", being handled " + counts.leased()
                + ", dead letters " + counts.dead() + ".";
    }
}
