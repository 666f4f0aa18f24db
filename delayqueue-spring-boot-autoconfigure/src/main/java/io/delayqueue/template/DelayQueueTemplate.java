package io.delayqueue.template;

import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.Shard;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.MessagePreparer.Prepared;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends to Redis. A topic registers itself when it is first sent to; nothing else has to be set up. Thread-safe; owns no
 * thread and need not be closed. What fails is told as {@link DelayQueueOperations} says.
 */
public final class DelayQueueTemplate implements DelayQueueOperations {

    private final MessageStore store;
    private final TopicRegistry topics;
    private final EventBus events;
    private final Executor completions;
    private final MessagePreparer preparer;
    private final InterceptorChain chain;
    private final Map<Shard, SendLane> lanes = new ConcurrentHashMap<>();
    private final Set<String> guessed = ConcurrentHashMap.newKeySet();
    private final Function<Shard, SendLane> newLane;
    private final BatchSender batches;
    private final CommitSender commits;

    DelayQueueTemplate(DelayQueueTemplateBuilder builder) {
        this.store = builder.store;
        this.topics = builder.topics;
        this.events = builder.events;
        this.completions = builder.completions;
        this.preparer = new MessagePreparer(
                builder.codec, builder.limits, builder.clock, new MessageIds(builder.clock, builder.random));
        this.chain = new InterceptorChain(builder.interceptors, preparer);
        MessageSender sender = new MessageSender(store, topics, events);
        this.newLane = shard ->
                new SendLane(shard, sender, topics, builder.limits, builder.commandTimeout, builder.flightsOfALane);
        this.batches = new BatchSender(sender, chain, topics, builder.limits, events);
        this.commits = new CommitSender(batches, events, builder.afterCommitTimeout, builder.nanoTime, builder.pause);
    }

    /**
     * Begins a template.
     *
     * @param store where messages go
     * @param topics knows the shard of a message
     * @param codec converts payloads
     * @param clock for generated ids and the limit of due dates; what is due is decided by Redis' clock
     */
    public static DelayQueueTemplateBuilder builder(
            MessageStore store, TopicRegistry topics, PayloadCodec codec, InstantSource clock) {
        return new DelayQueueTemplateBuilder(store, topics, codec, clock);
    }

    @Override
    public Success send(String topic, Object payload) {
        return send(message(topic, payload).build());
    }

    @Override
    public Success send(String topic, Object payload, Duration delay) {
        return send(message(topic, payload).delay(delay).build());
    }

    @Override
    public Success send(String topic, Object payload, Instant dueAt) {
        return send(message(topic, payload).dueAt(dueAt).build());
    }

    @Override
    public Success send(DelayMessage message) {
        return send(accepted(message));
    }

    private Success send(PendingMessage message) {
        return SendFailures.successOf(chain.send(
                        message,
                        last -> CompletableFuture.completedFuture(lane(last).send(last)))
                .join());
    }

    /**
     * Messages of one id go by one lane, so that they keep their order. The first ones of a topic whose shards are not known
     * yet share the lane of an only shard.
     */
    private SendLane lane(PendingMessage message) {
        Optional<Shard> likely = topics.likelyShardOf(message.topic(), message.id());
        if (likely.isEmpty()) {
            guessed.add(message.topic());
        }
        Shard shard = likely.orElseGet(() -> Shard.single(message.topic()));
        if (shard.count() > 1 && guessed.contains(message.topic())) {
            SendLane earlier = lanes.get(Shard.single(message.topic()));
            if (earlier != null && earlier.holds(message.id())) {
                return earlier;
            }
        }
        SendLane lane = lanes.get(shard);
        return lane != null ? lane : lanes.computeIfAbsent(shard, newLane);
    }

    @Override
    public CompletableFuture<Success> sendAsync(String topic, Object payload) {
        return sendAsync(message(topic, payload).build());
    }

    @Override
    public CompletableFuture<Success> sendAsync(String topic, Object payload, Duration delay) {
        return sendAsync(message(topic, payload).delay(delay).build());
    }

    @Override
    public CompletableFuture<Success> sendAsync(String topic, Object payload, Instant dueAt) {
        return sendAsync(message(topic, payload).dueAt(dueAt).build());
    }

    @Override
    public CompletableFuture<Success> sendAsync(DelayMessage message) {
        Prepared prepared = preparer.prepare(message);
        PendingMessage pending = prepared.message();
        if (pending == null) {
            return CompletableFuture.failedFuture(SendFailures.exception(Objects.requireNonNull(prepared.refused())));
        }
        CompletableFuture<Success> sent = new CompletableFuture<>();
        CompletionStage<SendResult> sending =
                chain.send(pending, last -> lane(last).sendAsync(last));
        sending.whenCompleteAsync((result, failure) -> end(sent, result, failure), this::complete);
        return sent;
    }

    private static void end(CompletableFuture<Success> sent, @Nullable SendResult result, @Nullable Throwable failure) {
        if (failure != null) {
            sent.completeExceptionally(failure);
        } else if (result instanceof Success success) {
            sent.complete(success);
        } else {
            sent.completeExceptionally(SendFailures.exception((Failed) Objects.requireNonNull(result)));
        }
    }

    /** Elsewhere, or here when the application is closing and nowhere else is left, or no thread can be made. */
    private void complete(Runnable end) {
        try {
            completions.execute(end);
        } catch (RuntimeException | Error refused) {
            end.run();
        }
    }

    @Override
    public List<Success> sendAll(Collection<DelayMessage> messages) {
        List<SendResult> results =
                batches.send(messages.stream().map(preparer::prepare).toList(), batches::store);
        if (results.stream().anyMatch(Failed.class::isInstance)) {
            throw new BatchSendException(results);
        }
        return results.stream().map(Success.class::cast).toList();
    }

    @Override
    public String sendAfterCommit(DelayMessage message) {
        PendingMessage pending = accepted(message);
        if (!commits.enlist(new Prepared(pending, null))) {
            send(pending);
        }
        return pending.id();
    }

    @Override
    public String sendAfterCommit(String topic, Object payload) {
        return sendAfterCommit(message(topic, payload).build());
    }

    @Override
    public String sendAfterCommit(String topic, Object payload, Duration delay) {
        return sendAfterCommit(message(topic, payload).delay(delay).build());
    }

    @Override
    public String sendAfterCommit(String topic, Object payload, Instant dueAt) {
        return sendAfterCommit(message(topic, payload).dueAt(dueAt).build());
    }

    @Override
    public CancelOutcome cancel(String topic, String id) {
        CancelOutcome outcome =
                inShard("cancel", topic, id, shard -> store.cancel(shard, id)).orElse(CancelOutcome.NOT_FOUND);
        if (outcome.isCancelled()) {
            events.publish(listener -> listener.cancelled(topic, id));
        }
        return outcome;
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("A delay is zero or more, but is " + delay);
        }
        return reschedule(topic, id, Due.after(delay));
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Instant dueAt) {
        return reschedule(topic, id, Due.at(dueAt));
    }

    private RescheduleOutcome reschedule(String topic, String id, Due due) {
        String objection = preparer.objectionToDue(due);
        if (objection != null) {
            throw new IllegalArgumentException(
                    "Message " + id + " in topic " + topic + " can't be rescheduled: " + objection);
        }
        return inShard("reschedule", topic, id, shard -> store.reschedule(shard, id, due))
                .orElse(RescheduleOutcome.NOT_FOUND);
    }

    @Override
    public Optional<MessageSnapshot> find(String topic, String id) {
        return inShard("find", topic, id, shard -> store.find(shard, id)).flatMap(Function.identity());
    }

    /** Empty if the topic is not registered. */
    private <T> Optional<T> inShard(String verb, String topic, String id, Function<Shard, T> call) {
        DelayMessage.checkTopic(topic);
        DelayMessage.checkId(id);
        try {
            return topics.lookFor(topic, id, call);
        } catch (RuntimeException e) {
            throw DelayQueueException.after("To " + verb + " message " + id + " in topic " + topic, e);
        }
    }

    private static DelayMessage.Builder message(String topic, Object payload) {
        return DelayMessage.to(topic).payload(payload);
    }

    private PendingMessage accepted(DelayMessage message) {
        Prepared prepared = preparer.prepare(message);
        PendingMessage pending = prepared.message();
        if (pending == null) {
            throw SendFailures.exception(Objects.requireNonNull(prepared.refused()));
        }
        return pending;
    }
}
