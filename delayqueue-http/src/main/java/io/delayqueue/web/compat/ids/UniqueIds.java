package io.delayqueue.web.compat.ids;

import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.SendResult;
import io.delayqueue.store.VersionedCancel;
import io.delayqueue.web.compat.ids.IdIndex.Entered;
import io.delayqueue.web.compat.ids.IdIndex.Entry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Keeps each id live in at most one topic, the one of the last push. Never blocks. Thread-safe.
 *
 * <p>Futures fail with a {@link io.delayqueue.redis.RedisCallException} if Redis does not reply. The call may then have
 * been executed in part, and must be repeated. Futures complete on a thread of the Redis client, which dependent
 * actions must not block.
 */
public final class UniqueIds {

    /** Maximum number of tries. More than one is needed only if the index was lost or the clock of Redis went back. */
    private static final int MAX_TRIES = 5;

    private final IdIndex index;
    private final TopicCopies copies;
    private final boolean isLimited;

    /** Creates an instance for one namespace. */
    public UniqueIds(IdIndex index, TopicCopies copies) {
        this(index, copies, false);
    }

    private UniqueIds(IdIndex index, TopicCopies copies, boolean isLimited) {
        this.index = index;
        this.copies = copies;
        this.isLimited = isLimited;
    }

    /** Returns an instance that changes messages of some topics only. */
    public UniqueIds within(Predicate<String> topics) {
        return new UniqueIds(index, copies.within(topics), true);
    }

    /** Sends a message with a given version and {@link io.delayqueue.message.OnDuplicate#REPLACE}. */
    @FunctionalInterface
    public interface Send {

        /** Sends the message. The future fails unless the message is known to be stored. */
        CompletableFuture<? extends SendResult.Success> send(long version);
    }

    /**
     * The result of cancelling messages in several topics.
     *
     * @param cancelled whether a message was cancelled
     * @param unclaimed topic of a message that was kept because it was never handled or its topic is not permitted
     * @param kept greatest version of the messages that were kept because of a greater version;
     *     {@link VersionedCancel#NO_VERSION} if there are none
     */
    private record Cancels(boolean cancelled, Optional<String> unclaimed, long kept) {

        static final Cancels NONE = new Cancels(false, Optional.empty(), VersionedCancel.NO_VERSION);

        Cancels and(String topic, long version, VersionedCancel copy) {
            boolean isGreater = copy.live() && copy.version() > version;
            return new Cancels(
                    cancelled || copy.outcome().isCancelled(),
                    copy.live() && !isGreater ? Optional.of(topic) : unclaimed,
                    isGreater ? Math.max(kept, copy.version()) : kept);
        }

        Cancels and(Cancels more) {
            return new Cancels(
                    cancelled || more.cancelled, more.unclaimed.or(() -> unclaimed), Math.max(kept, more.kept));
        }
    }

    /**
     * Sends a message that replaces the live message with its id in any topic.
     *
     * <p>First the topic is written to the index, then the message is sent, then messages in other topics are
     * cancelled. If a later push starts meanwhile, that push wins, as if this push had completed before it.
     *
     * <p>If the id is in no other topic, the push does not wait for its settlement in the index. A later push to another
     * topic that was in progress at the same time then wins soon after.
     *
     * <p>A message in a topic that is not permitted is not replaced. If the id is live there, or a push there is in
     * progress, nothing is pushed.
     *
     * @param before called before anything is stored, unless nothing is pushed
     * @param send normally called once; called again with another version if the index was lost
     * @return the topic for which nothing is pushed, or empty; fails if {@code before} or the send fails, or if Redis does
     *     not reply; the push must then be repeated
     */
    public CompletableFuture<Optional<String>> push(
            String topic, String id, Supplier<CompletableFuture<?>> before, Send send) {
        return isLimited
                ? pushIfPermitted(topic, id, before, send)
                : before.get()
                        .thenCompose(done -> index.enterAsync(id, topic, 0))
                        .thenCompose(entered -> pushed(topic, id, entered, send, MAX_TRIES));
    }

    /** Pushes. Starts again if a push to another topic starts after the check, and only then. */
    private CompletableFuture<Optional<String>> pushIfPermitted(
            String topic, String id, Supplier<CompletableFuture<?>> before, Send send) {
        return index.findAsync(id)
                .thenCompose(entry -> findElsewhere(entry, true)
                        .thenCompose(elsewhere -> elsewhere.isPresent()
                                ? CompletableFuture.completedFuture(elsewhere)
                                : before.get()
                                        .thenCompose(done -> index.enterAsync(id, topic, 0, entry.orElse(null)))
                                        .thenCompose(entered -> entered.isPresent()
                                                ? pushed(topic, id, entered.get(), send, MAX_TRIES)
                                                : pushIfPermitted(topic, id, before, send))));
    }

    /**
     * Sends a message that the index has. Each step starts when the previous one has succeeded. The last step pushes again
     * if a message with a greater version was kept.
     */
    private CompletableFuture<Optional<String>> pushed(String topic, String id, Entered entered, Send send, int tries) {
        long version = entered.version();
        CompletableFuture<? extends SendResult.Success> sent = send.send(version);
        if (entered.others().isEmpty()) {
            return sent.thenCompose(done -> {
                CompletableFuture<Cancels> settled = settle(topic, id, version, Cancels.NONE, MAX_TRIES);
                return done instanceof SendResult.Kept
                        ? settled.thenCompose(
                                cancels -> pushAgainIfKept(topic, id, version, done, cancels, send, tries))
                        : CompletableFuture.completedFuture(Optional.empty());
            });
        }
        return sent.thenCompose(done -> cancelAll(entered.others(), id, version, false))
                .thenCompose(cancels -> settle(topic, id, version, cancels, MAX_TRIES))
                .thenCompose(cancels -> pushAgainIfKept(topic, id, version, sent.join(), cancels, send, tries));
    }

    private CompletableFuture<Optional<String>> pushAgainIfKept(
            String topic, String id, long version, SendResult.Success sent, Cancels cancels, Send send, int tries) {
        return keptVersion(topic, id, sent, cancels).thenCompose(greater -> {
            if (greater > version && tries > 1) {
                return pushAbove(greater, topic, id, version, send, tries - 1);
            }
            return cancels.unclaimed.isPresent()
                    ? withdraw(topic, id, version, cancels.unclaimed)
                    : CompletableFuture.completedFuture(Optional.empty());
        });
    }

    /** Cancels the message of a push if it is still live, because another message is in a topic that is not permitted. */
    private CompletableFuture<Optional<String>> withdraw(
            String topic, String id, long version, Optional<String> elsewhere) {
        return copies.cancel(topic, id, version, false)
                .thenApply(own -> own.outcome().isCancelled() ? elsewhere : Optional.empty());
    }

    /** Returns the greatest version of a message that a push did not replace or cancel, in its own or another topic. */
    private CompletableFuture<Long> keptVersion(String topic, String id, SendResult.Success sent, Cancels cancels) {
        return sent instanceof SendResult.Kept
                ? copies.version(topic, id).thenApply(own -> Math.max(cancels.kept, own.version()))
                : CompletableFuture.completedFuture(cancels.kept);
    }

    /**
     * Pushes again with a greater version, unless the index has a later push. Without a later push, the index was lost
     * or the clock of Redis went back.
     */
    private CompletableFuture<Optional<String>> pushAbove(
            long greater, String topic, String id, long version, Send send, int tries) {
        return isLastPush(id, version)
                .thenCompose(last -> last
                        ? index.enterAsync(id, topic, greater)
                                .thenCompose(entered -> pushed(topic, id, entered, send, tries))
                        : CompletableFuture.completedFuture(Optional.empty()));
    }

    /** Returns whether the index has no later push than the one with a version. */
    private CompletableFuture<Boolean> isLastPush(String id, long version) {
        return index.findAsync(id)
                .thenApply(entry -> entry.isPresent() && entry.get().version() == version);
    }

    /**
     * Settles a push.
     *
     * @param cancels what was cancelled before
     * @return what was cancelled, also by this call
     */
    private CompletableFuture<Cancels> settle(String topic, String id, long version, Cancels cancels, int tries) {
        return index.settleAsync(id, topic, version).thenCompose(settlement -> switch (settlement.end()) {
            case SETTLED -> CompletableFuture.completedFuture(cancels);
            case LATER -> cancelAll(List.of(topic), id, version, false).thenApply(own -> cancels);
            case AGAIN ->
                cancelAll(settlement.others(), id, version, false)
                        .thenCompose(more -> tries > 1
                                ? settle(topic, id, version, cancels.and(more), tries - 1)
                                : CompletableFuture.completedFuture(cancels.and(more)));
        });
    }

    /**
     * Cancels the live message of an id, scheduled or leased.
     *
     * @return whether a message was cancelled
     */
    public CompletableFuture<Boolean> cancel(String id) {
        return cancel(id, 0, false, MAX_TRIES);
    }

    /**
     * Ends the live message of an id if it was handled since it was sent; its successor takes over. Therefore a client that
     * finishes an earlier message of the id does not cancel a later message that was not delivered yet.
     *
     * @return whether a message was cancelled
     */
    public CompletableFuture<Boolean> finish(String id) {
        return cancel(id, 0, true, MAX_TRIES);
    }

    /**
     * Cancels the messages of an id. A message with a greater version is kept if a later push stored it. If the index
     * has no later push, the index was lost, and the message is cancelled by the next try.
     */
    private CompletableFuture<Boolean> cancel(String id, long floor, boolean onlyHandled, int tries) {
        return index.findAsync(id)
                .thenCompose(entry -> entry.isPresent()
                        ? cancel(entry.get(), floor, onlyHandled, tries)
                        : CompletableFuture.completedFuture(false));
    }

    private CompletableFuture<Boolean> cancel(Entry entry, long floor, boolean onlyHandled, int tries) {
        String id = entry.id();
        return cancelAll(entry.topics(), id, Math.max(floor, entry.version()), onlyHandled)
                .thenCompose(cancels -> {
                    if (cancels.kept != VersionedCancel.NO_VERSION && tries > 1) {
                        return cancelUnlessLater(id, entry.version(), cancels, onlyHandled, tries - 1);
                    }
                    if (cancels.unclaimed.isPresent()) {
                        return CompletableFuture.completedFuture(cancels.cancelled);
                    }
                    // the result does not depend on the removal; the sweep removes an entry that remains
                    index.removeAsync(id, entry.version(), Duration.ZERO);
                    return CompletableFuture.completedFuture(cancels.cancelled);
                });
    }

    private CompletableFuture<Boolean> cancelUnlessLater(
            String id, long version, Cancels cancels, boolean onlyHandled, int tries) {
        return isLastPush(id, version)
                .thenCompose(last -> last
                        ? cancel(id, cancels.kept, onlyHandled, tries)
                                .thenApply(cancelled -> cancelled || cancels.cancelled)
                        : CompletableFuture.completedFuture(cancels.cancelled));
    }

    private CompletableFuture<Cancels> cancelAll(List<String> topics, String id, long version, boolean onlyHandled) {
        CompletableFuture<Cancels> all = CompletableFuture.completedFuture(Cancels.NONE);
        for (String topic : topics) {
            all = all.thenCombine(
                    copies.cancel(topic, id, version, onlyHandled),
                    (cancels, copy) -> cancels.and(topic, version, copy));
        }
        return all;
    }

    /** Finds the live message of an id, in permitted topics before others. Reads the topic of the last push first. */
    public CompletableFuture<Optional<MessageSnapshot>> find(String id) {
        return index.findAsync(id).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            Entry entry = found.get();
            List<String> topics = Stream.concat(
                            entry.topics().stream().filter(copies.permitted()),
                            entry.topics().stream().filter(copies.permitted().negate()))
                    .toList();
            return find(topics, id, 0)
                    .thenCompose(message -> message.isPresent()
                            ? CompletableFuture.completedFuture(message)
                            : index.removeAsync(id, entry.version(), index.grace())
                                    .thenApply(removed -> message));
        });
    }

    /** Finds a topic that is not permitted and in which an id is live. */
    public CompletableFuture<Optional<String>> findElsewhere(String id) {
        return index.findAsync(id).thenCompose(entry -> findElsewhere(entry, false));
    }

    private CompletableFuture<Optional<String>> findElsewhere(Optional<Entry> entry, boolean orPushed) {
        List<String> others = entry.map(Entry::topics).orElse(List.of()).stream()
                .filter(copies.permitted().negate())
                .toList();
        if (others.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Entry found = entry.orElseThrow();
        return orPushed
                        && found.pushing()
                        && others.get(0).equals(found.topics().get(0))
                ? CompletableFuture.completedFuture(Optional.of(others.get(0)))
                : find(others, found.id(), 0).thenApply(message -> message.map(MessageSnapshot::topic));
    }

    private CompletableFuture<Optional<MessageSnapshot>> find(List<String> topics, String id, int from) {
        return copies.find(topics.get(from), id)
                .thenCompose(message -> message.isPresent() || from + 1 == topics.size()
                        ? CompletableFuture.completedFuture(message)
                        : find(topics, id, from + 1));
    }

    /** Adds a live id of a topic to the index, so that it is found although it was not pushed by this class. */
    public CompletableFuture<Void> add(String topic, String id) {
        return index.addAsync(id, topic);
    }
}
