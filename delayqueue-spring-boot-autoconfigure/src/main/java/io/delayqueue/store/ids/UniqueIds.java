package io.delayqueue.store.ids;

import io.delayqueue.event.EventBus;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.SendResult;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.script.TopicCopies;
import io.delayqueue.store.script.TopicCopies.State;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Ids that are live in one topic at most, whichever was pushed to last. Never blocks. Thread-safe.
 *
 * <p>Futures fail with a {@link io.delayqueue.redis.RedisCallException} when there is no answer: the call may have been done
 * in part, and is to be repeated. They end on a thread of the Redis client: what depends on them must not block.
 */
public final class UniqueIds {

    /** For how long a push that stopped midway is reckoned with. */
    public static final Duration GRACE = Duration.ofHours(1);

    private static final String LOWEST = "0000000000000000";
    /** More than once takes an index that was lost, or a clock that went back. */
    private static final int ROUNDS = 5;

    private final IdIndex index;
    private final TopicCopies copies;
    private final EventBus events;

    /** Over the scripts and names of one namespace. */
    public UniqueIds(ScriptRunner scripts, KeySpace keySpace, TopicCopies copies, EventBus events) {
        this(new IdIndex(scripts, keySpace, GRACE), copies, events);
    }

    UniqueIds(IdIndex index, TopicCopies copies, EventBus events) {
        this.index = index;
        this.copies = copies;
        this.events = events;
    }

    /** Sends a message with the nonce that it is given, and {@link io.delayqueue.message.OnDuplicate#REPLACE}. */
    @FunctionalInterface
    public interface Send {

        /** Begins to send; fails if nobody knows that the message was stored. */
        CompletableFuture<? extends SendResult.Success> send(String nonce);
    }

    /**
     * What became of what was to be cancelled.
     *
     * @param cancelled whether anything was
     * @param left the greatest number of what was left, empty if nothing was
     */
    private record Ends(boolean cancelled, String left) {

        static final Ends NONE = new Ends(false, "");

        Ends and(Ends other) {
            return new Ends(cancelled || other.cancelled, greater(left, other.left));
        }
    }

    /**
     * Sends a message in place of what is live under its id, in whatever topic.
     *
     * <p>The topic is written into the index, the message is sent, what is live in other topics is cancelled. Where a later
     * push comes meanwhile, that one stands, and this one is as if it had come before.
     *
     * @param send called once as a rule, anew with another nonce where the index was lost
     * @return fails as the send does, or when there is no answer; then it is to be repeated
     */
    public CompletableFuture<Void> push(String topic, String id, Send send) {
        return push(topic, id, LOWEST, send, ROUNDS);
    }

    private CompletableFuture<Void> push(String topic, String id, String floor, Send send, int rounds) {
        return index.enterAsync(id, topic, floor)
                .thenCompose(entered -> send.send(nonce(entered.number()))
                        .thenCompose(sent -> endAll(entered.others(), id, entered.number())
                                .thenCompose(ends -> settle(topic, id, entered.number(), ROUNDS)
                                        .thenCompose(ignored -> sent instanceof SendResult.Kept
                                                ? copies.lookAsync(topic, id)
                                                        .thenApply(copy -> greater(ends.left, copy.number()))
                                                : CompletableFuture.completedFuture(ends.left))))
                        .thenCompose(greater -> greater.compareTo(entered.number()) > 0 && rounds > 1
                                ? pushAbove(greater, topic, id, entered.number(), send, rounds - 1)
                                : CompletableFuture.completedFuture(null)));
    }

    /** A greater number is live. Unless the index knows a later push, it was lost, or its clock went back. */
    private CompletableFuture<Void> pushAbove(
            String greater, String topic, String id, String number, Send send, int rounds) {
        return index.whereAsync(id)
                .thenCompose(entry -> entry.isPresent() && entry.get().number().equals(number)
                        ? push(topic, id, greater, send, rounds)
                        : CompletableFuture.completedFuture(null));
    }

    private CompletableFuture<Void> settle(String topic, String id, String number, int rounds) {
        return index.settleAsync(id, topic, number).thenCompose(settlement -> switch (settlement.end()) {
            case SETTLED -> CompletableFuture.completedFuture(null);
            case LATER -> endAll(List.of(topic), id, number).thenApply(ends -> null);
            case AGAIN ->
                endAll(settlement.others(), id, number)
                        .thenCompose(ends -> rounds > 1
                                ? settle(topic, id, number, rounds - 1)
                                : CompletableFuture.completedFuture(null));
        });
    }

    /**
     * Cancels what is live under an id, scheduled or leased.
     *
     * @return whether anything was
     */
    public CompletableFuture<Boolean> end(String id) {
        return end(id, LOWEST, ROUNDS);
    }

    /** What is left has a greater number: a later push came, which stands, or the index was lost. */
    private CompletableFuture<Boolean> end(String id, String floor, int rounds) {
        return index.whereAsync(id).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(false);
            }
            IdEntry entry = found.get();
            return endAll(entry.topics(), id, greater(floor, entry.number())).thenCompose(ends -> {
                if (!ends.left.isEmpty() && rounds > 1) {
                    return endUnlessLater(id, entry.number(), ends, rounds - 1);
                }
                return index.leaveAsync(id, entry.number(), Duration.ZERO).thenApply(left -> ends.cancelled);
            });
        });
    }

    private CompletableFuture<Boolean> endUnlessLater(String id, String number, Ends ends, int rounds) {
        return index.whereAsync(id)
                .thenCompose(entry -> entry.isPresent() && entry.get().number().equals(number)
                        ? end(id, ends.left, rounds).thenApply(cancelled -> cancelled || ends.cancelled)
                        : CompletableFuture.completedFuture(ends.cancelled));
    }

    private CompletableFuture<Ends> endAll(List<String> topics, String id, String number) {
        CompletableFuture<Ends> all = CompletableFuture.completedFuture(Ends.NONE);
        for (String topic : topics) {
            all = all.thenCombine(end(topic, id, number), Ends::and);
        }
        return all;
    }

    private CompletableFuture<Ends> end(String topic, String id, String number) {
        return copies.endAsync(topic, id, number).thenApply(copy -> {
            boolean cancelled = copy.state() == State.CANCELLED;
            if (cancelled) {
                events.publish(listener -> listener.cancelled(topic, id));
            }
            return new Ends(cancelled, copy.state() == State.LIVE ? copy.number() : "");
        });
    }

    private static String greater(String number, String other) {
        return number.compareTo(other) > 0 ? number : other;
    }

    /** Looks a live message up, in the topic that it was pushed to last before others. */
    public CompletableFuture<Optional<MessageSnapshot>> find(String id) {
        return index.whereAsync(id).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            IdEntry entry = found.get();
            return find(entry.topics(), id, 0)
                    .thenCompose(message -> message.isPresent()
                            ? CompletableFuture.completedFuture(message)
                            : index.leaveAsync(id, entry.number(), index.grace())
                                    .thenApply(left -> message));
        });
    }

    private CompletableFuture<Optional<MessageSnapshot>> find(List<String> topics, String id, int from) {
        return copies.findAsync(topics.get(from), id)
                .thenCompose(message -> message.isPresent() || from + 1 == topics.size()
                        ? CompletableFuture.completedFuture(message)
                        : find(topics, id, from + 1));
    }

    /** Notes that an id was met live in a topic, so that it is found although it was not pushed here. */
    public CompletableFuture<Void> met(String topic, String id) {
        return index.meetAsync(id, topic);
    }

    /** A nonce that the send script knows for a number. */
    private static String nonce(String number) {
        return "n" + number;
    }
}
