package io.delayqueue.template;

import io.delayqueue.Internal;
import io.delayqueue.convert.PayloadCodec;
import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.Completions;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.Names;
import io.delayqueue.message.Printable;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Duplicate;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.VersionedCancel;
import io.delayqueue.store.script.TopicRegistry;
import io.delayqueue.template.SendBatcher.Route;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.springframework.util.Assert;

/**
 * Sends messages to Redis. The first send to a topic registers it; topics need no other setup. Thread-safe. Owns no
 * thread and needs no close. For exceptions see {@link DelayQueueOperations}.
 */
public class DelayQueueTemplate implements DelayQueueOperations {

    private static final Pattern NONCE = Pattern.compile("-|[A-Za-z0-9]{1,64}");

    private final MessageStore store;
    private final TopicRegistry topics;
    private final EventBus events;
    private final Executor completions;
    private final SentPayloads payloads;
    private final SendLimits limits;
    private final InstantSource clock;
    private final MessageIds ids;
    private final List<SendInterceptor> interceptors;
    private final Duration commandTimeout;
    final Map<Route, SendBatcher> batchers = new ConcurrentHashMap<>();
    private final int concurrentCalls;
    private final Function<String, Durability> durability;
    private final CommitSender commits;

    DelayQueueTemplate(DelayQueueTemplateBuilder builder) {
        this.store = builder.store;
        this.topics = builder.topics;
        this.events = builder.events;
        this.completions = builder.completions;
        this.payloads = new SentPayloads(builder.codec, builder.listenerTypes, builder.onFailedReadBack);
        this.limits = builder.limits;
        this.clock = builder.clock;
        this.ids = new MessageIds(clock, new SecureRandom());
        this.interceptors = builder.interceptors;
        this.commandTimeout = builder.commandTimeout;
        this.concurrentCalls = builder.concurrentCalls;
        this.durability = builder.durability;
        this.commits = new CommitSender(this, builder, ids);
    }

    /**
     * Returns a builder.
     *
     * @param store stores messages
     * @param topics maps message ids to shards
     * @param codec converts payloads
     * @param clock for generated ids and the limit of due dates; Redis' clock decides when a message is due
     */
    @Internal
    public static DelayQueueTemplateBuilder builder(
            MessageStore store, TopicRegistry topics, PayloadCodec codec, InstantSource clock) {
        Assert.notNull(store, "'store' must not be null");
        Assert.notNull(topics, "'topics' must not be null");
        Assert.notNull(codec, "'codec' must not be null");
        Assert.notNull(clock, "'clock' must not be null");
        return new DelayQueueTemplateBuilder(store, topics, codec, clock);
    }

    @Override
    public Success send(DelayMessage message) {
        Assert.notNull(message, "'message' must not be null");
        return send(accepted(message));
    }

    private Success send(PendingMessage message) {
        Await.requireBlockingThread();
        SendResult result = interceptors.isEmpty()
                ? store(message)
                : message.pass(interceptors, limits, last -> CompletableFuture.completedFuture(store(last)))
                        .join();
        if (result instanceof Success success) {
            return success;
        }
        throw DelayQueueException.of((Failed) result);
    }

    private SendResult store(PendingMessage message) {
        SendResult result = batcher(message).send(message, commandTimeout);
        return result == null ? store(message) : result;
    }

    /**
     * The batcher of a message's shard and durability. Messages of one id or one key use one batcher, so that they keep
     * their order. While the shards of a topic are not known yet, its messages use the batcher of a single shard, which is
     * then retired.
     */
    private SendBatcher batcher(PendingMessage message) {
        Shard shard = topics.likelyShardOf(message.topic(), message.id());
        Route single = message.route(Shard.single(message.topic()));
        Route route = shard == null ? single : message.route(shard);
        SendBatcher earlier = route.equals(single)
                ? null
                : batchers.computeIfPresent(single, (any, batcher) -> batcher.retire() ? null : batcher);
        if (earlier != null && (topics.mayHaveKeys(message.topic()) || earlier.holds(message.id()))) {
            return earlier;
        }
        SendBatcher batcher = batchers.get(route);
        return batcher != null
                ? batcher
                : batchers.computeIfAbsent(route, any -> newBatcher(route, concurrentCalls, true));
    }

    private SendBatcher newBatcher(Route route, int calls, boolean shared) {
        return new SendBatcher(route, store, topics, events, limits, calls, shared);
    }

    @Override
    public CompletableFuture<Success> sendAsync(DelayMessage message) {
        Assert.notNull(message, "'message' must not be null");
        PendingMessage pending = prepare(message);
        CompletableFuture<Success> sent = new CompletableFuture<>();
        if (pending.isEnded()) {
            end(sent, pending.result().join());
        } else {
            Completions.whenComplete(
                    pending.pass(interceptors, limits, this::submit),
                    (result, impossible) -> Completions.on(completions, () -> end(sent, result)));
        }
        return sent;
    }

    private CompletableFuture<SendResult> submit(PendingMessage message) {
        return batcher(message).submit(List.of(message)) ? message.result() : submit(message);
    }

    private static void end(CompletableFuture<Success> sent, SendResult result) {
        if (result instanceof Success success) {
            sent.complete(success);
        } else {
            sent.completeExceptionally(DelayQueueException.of((Failed) result));
        }
    }

    @Override
    public List<Success> sendAll(Collection<DelayMessage> messages) {
        Assert.notNull(messages, "'messages' must not be null");
        Await.requireBlockingThread();
        List<PendingMessage> prepared = new ArrayList<>(messages.size());
        for (DelayMessage message : messages) {
            Assert.notNull(message, "'messages' must not hold null");
            prepared.add(prepare(message));
        }
        List<SendResult> results = sendAll(prepared, open -> store(open, false));
        List<Success> accepted = new ArrayList<>(results.size());
        for (SendResult result : results) {
            if (!(result instanceof Success success)) {
                throw new BatchSendException(results);
            }
            accepted.add(success);
        }
        return Collections.unmodifiableList(accepted);
    }

    /**
     * Passes each message through the interceptors and stores those that pass. Never throws.
     *
     * @param storing stores messages; ends when all have their results
     * @return the results in the order of the messages
     */
    List<SendResult> sendAll(List<PendingMessage> messages, Consumer<List<PendingMessage>> storing) {
        if (interceptors.isEmpty()) {
            storing.accept(
                    messages.stream().filter(message -> !message.isEnded()).toList());
            return messages.stream().map(message -> message.result().join()).toList();
        }
        List<CompletableFuture<SendResult>> intercepted = new ArrayList<>(messages.size());
        for (PendingMessage message : messages) {
            intercepted.add(message.isEnded() ? message.result() : hold(message));
        }
        List<PendingMessage> held =
                messages.stream().filter(PendingMessage::endHolding).toList();
        storing.accept(held);
        held.forEach(message -> message.release(message.result().join()));
        return intercepted.stream().map(CompletableFuture::join).toList();
    }

    /** Passes a message through the interceptors, which get its result when it is {@linkplain PendingMessage#release set}. */
    CompletableFuture<SendResult> hold(PendingMessage message) {
        return message.pass(interceptors, limits, PendingMessage::hold);
    }

    /**
     * Stores messages in batches and waits for their results. Calls to different shards are concurrent. For each shard, two
     * calls of half a batch are in progress, or one call of a batch if the topic has keys: while Redis executes one, the
     * caller encodes the messages of the next. Never throws.
     *
     * @param independent whether a message that Redis rejects must not fail those that are sent with it
     */
    void store(List<PendingMessage> messages, boolean independent) {
        byRoute(messages)
                .forEach((route, group) -> newBatcher(route, SendBatcher.CALLS_OF_A_BATCH, independent)
                        .submit(group));
        messages.forEach(message -> message.result().join());
    }

    /** Groups messages by route. Ends the messages that are not sent. */
    private Map<Route, List<PendingMessage>> byRoute(List<PendingMessage> messages) {
        Map<Route, List<PendingMessage>> byRoute = new LinkedHashMap<>();
        Map<String, Set<String>> seen = new HashMap<>();
        Throwable noReply = null;
        for (PendingMessage message : messages) {
            String topic = message.topic();
            String id = message.id();
            boolean isFirst = message.hasNewId()
                    || seen.computeIfAbsent(topic, any -> new HashSet<>()).add(id);
            if (!isFirst && message.rejectsDuplicate()) {
                message.end(new Duplicate(topic, id));
                events.publish(listener -> listener.duplicateRejected(topic, id));
                continue;
            }
            try {
                Shard shard = topics.knownShardOf(topic, id).orElse(null);
                if (shard == null && noReply == null) {
                    shard = Await.call(() -> topics.shardOf(topic, id));
                }
                if (shard == null) {
                    message.end(SendFailures.notTried(message, noReply));
                } else {
                    byRoute.computeIfAbsent(message.route(shard), any -> new ArrayList<>())
                            .add(message);
                }
            } catch (RuntimeException e) {
                Failed failed = SendFailures.notStored(message, e);
                message.end(failed);
                noReply = SendFailures.noReply(failed);
            }
        }
        return byRoute;
    }

    @Override
    public String sendAfterCommit(DelayMessage message) {
        Assert.notNull(message, "'message' must not be null");
        Await.requireBlockingThread();
        PendingMessage pending = accepted(message);
        if (!commits.enlist(pending)) {
            send(pending);
        }
        return pending.id();
    }

    @Override
    public void cancelAfterCommit(String topic, String id) {
        Names.checkTopic(topic);
        Names.checkId(id);
        Await.requireBlockingThread();
        if (!commits.enlist(new PendingCancel(topic, id, durability.apply(topic)))) {
            cancel(topic, id);
        }
    }

    /**
     * Does the sends and cancels of an outbox, once. Never throws. Publishes no failures.
     *
     * @param operations operations with different topics or ids
     * @return the results in the order of the operations
     */
    @Internal
    public List<SendResult> relay(List<OutboxMessage> operations) {
        List<CommitOperation> pending = operations.stream()
                .<CommitOperation>map(
                        stored -> stored.isCancel() ? PendingCancel.of(stored) : PendingMessage.of(stored, limits))
                .toList();
        perform(pending, true);
        return pending.stream().map(operation -> operation.result().join()).toList();
    }

    /**
     * Does operations of a commit or an outbox, concurrently, and waits for their results. Never throws.
     *
     * @param operations cancels of different ids, and sends of others. Those that have ended are not done
     * @param independent as for {@link #store}
     */
    void perform(List<CommitOperation> operations, boolean independent) {
        List<PendingMessage> messages = new ArrayList<>();
        for (CommitOperation operation : operations) {
            if (operation instanceof PendingCancel cancel) {
                start(cancel);
            } else if (operation instanceof PendingMessage message && !message.isEnded()) {
                messages.add(message);
            }
        }
        store(messages, independent);
        operations.forEach(operation -> operation.result().join());
    }

    private void start(PendingCancel cancel) {
        String topic = cancel.topic();
        String id = cancel.id();
        Completions.whenComplete(
                Completions.call(() -> topics.withShard(topic, id, shard -> cancel.call(store, shard))),
                (found, failure) -> {
                    if (failure == null) {
                        cancelled(topic, id, found);
                        cancel.executed();
                    } else {
                        cancel.failed(failure);
                    }
                });
    }

    @Override
    public CancelOutcome cancel(String topic, String id) {
        return cancelled(topic, id, cancelling(topic, id).await());
    }

    @Override
    public CancelOutcome cancel(String topic, String id, long version) {
        return cancelled(topic, id, cancelling(topic, id, version).await());
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        return cancelling(topic, id).start(outcome -> cancelled(topic, id, outcome));
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id, long version) {
        return cancelling(topic, id, version).start(outcome -> cancelled(topic, id, outcome));
    }

    private CallById<CancelOutcome> cancelling(String topic, String id) {
        return new CallById<>("Cancelling", topic, id, shard -> store.cancel(shard, id, durability.apply(topic)));
    }

    private CallById<CancelOutcome> cancelling(String topic, String id, long version) {
        return new CallById<>(
                "Cancelling",
                topic,
                id,
                shard -> store.cancelUpTo(shard, id, version, false, durability.apply(topic))
                        .thenApply(VersionedCancel::outcome));
    }

    private CancelOutcome cancelled(String topic, String id, Optional<CancelOutcome> found) {
        CancelOutcome outcome = found.orElse(CancelOutcome.NOT_FOUND);
        if (outcome.isCancelled()) {
            events.publish(listener -> listener.cancelled(topic, id));
        }
        return outcome;
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Duration delay) {
        return rescheduled(rescheduling(topic, id, after(delay)).await());
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Instant dueAt) {
        return rescheduled(rescheduling(topic, id, at(dueAt)).await());
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Duration delay) {
        return rescheduling(topic, id, after(delay)).start(DelayQueueTemplate::rescheduled);
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Instant dueAt) {
        return rescheduling(topic, id, at(dueAt)).start(DelayQueueTemplate::rescheduled);
    }

    private static Due after(Duration delay) {
        Assert.notNull(delay, "'delay' must not be null");
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay must be zero or more, but was " + DurationText.of(delay));
        }
        return Due.after(delay);
    }

    private static Due at(Instant dueAt) {
        Assert.notNull(dueAt, "'dueAt' must not be null");
        return Due.at(dueAt);
    }

    private CallById<RescheduleOutcome> rescheduling(String topic, String id, Due due) {
        Names.checkTopic(topic);
        Names.checkId(id);
        String objection = limits.objectionTo(due, clock);
        if (objection != null) {
            throw new IllegalArgumentException("Message " + Printable.of(id) + " in topic " + Printable.of(topic)
                    + " cannot be rescheduled: " + objection);
        }
        return new CallById<>(
                "Rescheduling", topic, id, shard -> store.reschedule(shard, id, due, durability.apply(topic)));
    }

    private static RescheduleOutcome rescheduled(Optional<RescheduleOutcome> found) {
        return found.orElse(RescheduleOutcome.NOT_FOUND);
    }

    @Override
    public Optional<MessageSnapshot> find(String topic, String id) {
        return finding(topic, id).await().flatMap(Function.identity());
    }

    @Override
    public CompletableFuture<Optional<MessageSnapshot>> findAsync(String topic, String id) {
        return finding(topic, id).start(found -> found.flatMap(Function.identity()));
    }

    private CallById<Optional<MessageSnapshot>> finding(String topic, String id) {
        return new CallById<>("Reading", topic, id, shard -> store.find(shard, id));
    }

    /** A call about one message in the shard of its id. Its result is empty if the topic is not registered. */
    private final class CallById<T> {

        private final String attempt;
        private final Supplier<CompletableFuture<Optional<T>>> call;

        CallById(String verb, String topic, String id, Function<Shard, CompletableFuture<T>> call) {
            Names.checkTopic(topic);
            Names.checkId(id);
            this.attempt = verb + " message " + Printable.of(id) + " in topic " + Printable.of(topic);
            this.call = () -> Completions.call(() -> topics.withShard(topic, id, call));
        }

        Optional<T> await() {
            try {
                return Await.call(call);
            } catch (RuntimeException e) {
                throw DelayQueueException.translated(attempt, e);
            }
        }

        /**
         * Starts the call without blocking.
         *
         * @param last converts the result on the executor of the completions
         */
        <R> CompletableFuture<R> start(Function<Optional<T>, R> last) {
            CompletableFuture<R> result = new CompletableFuture<>();
            Completions.whenComplete(
                    call.get(),
                    (found, failure) -> Completions.on(completions, () -> {
                        if (failure == null) {
                            result.complete(last.apply(found));
                        } else {
                            Throwable cause = Completions.cause(failure);
                            result.completeExceptionally(
                                    cause instanceof RuntimeException e
                                            ? DelayQueueException.translated(attempt, e)
                                            : cause);
                        }
                    }));
            return result;
        }
    }

    /** Returns the prepared message, or throws the exception of its failure. */
    PendingMessage accepted(DelayMessage message) {
        PendingMessage pending = prepare(message);
        if (pending.isEnded()) {
            throw DelayQueueException.of((Failed) pending.result().join());
        }
        return pending;
    }

    /** Checks a message, generates its id and serialises its payload. If it cannot be sent, it has its result. */
    private PendingMessage prepare(DelayMessage message) {
        String id = message.id() == null ? ids.next() : message.id();
        PendingMessage pending = new PendingMessage(
                message,
                id,
                nonce(message),
                message.durability() != null ? message.durability() : durability.apply(message.topic()));
        if (message.nonce() != null && !NONCE.matcher(message.nonce()).matches()) {
            // no earlier send can have used an invalid nonce
            String detail = "its nonce must be 1 to 64 letters and digits, but was " + Printable.of(message.nonce());
            return pending.end(new Rejected(message.topic(), id, Reason.INVALID, detail, null));
        }
        String objection = limits.objectionTo(message, clock);
        if (objection == null) {
            try {
                objection = pending.serialised(payloads.write(message)).objection(limits);
            } catch (PayloadConversionException e) {
                return pending.end(pending.notStored(Reason.FAILED, String.valueOf(e.getMessage()), e));
            }
        }
        return objection == null ? pending : pending.end(pending.notStored(Reason.INVALID, objection, null));
    }

    /** The durability of changes of a topic. */
    Durability durability(String topic) {
        return durability.apply(topic);
    }

    private String nonce(DelayMessage message) {
        if (message.nonce() != null) {
            return message.nonce();
        }
        return message.id() == null ? OutgoingMessage.GENERATED_ID : ids.nonce();
    }
}
