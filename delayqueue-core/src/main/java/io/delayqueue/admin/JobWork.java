package io.delayqueue.admin;

import io.delayqueue.admin.StoredJob.Batch;
import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.event.EventBus;
import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.Printable;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.DeadLetterEntry;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.Purge;
import io.delayqueue.store.script.MessageMover;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of jobs, one batch at a time. A batch that is repeated, or that two nodes do at the same time, acts on
 * each message once, because Redis decides that for each message. Each method waits for Redis. Thread-safe.
 */
final class JobWork {

    /** Maximum number of messages of a batch. */
    static final int MAX_BATCH = 250;

    /** The messages on which a job acts, in this order. */
    private static final List<MessageView> VIEWS =
            List.of(MessageView.SCHEDULED, MessageView.READY, MessageView.SUSPECT);

    private final MessageStore store;
    private final ShardReader reader;
    private final TopicRegistry registry;
    private final NodeDirectory nodes;
    private final EventBus events;
    private final MessagePages pages;
    private final MessageMover mover;

    JobWork(
            MessageStore store,
            MessageMover mover,
            ShardReader reader,
            TopicRegistry registry,
            NodeDirectory nodes,
            EventBus events) {
        this.store = store;
        this.mover = mover;
        this.reader = reader;
        this.registry = registry;
        this.nodes = nodes;
        this.events = events;
        this.pages = new MessagePages(reader);
    }

    /**
     * Does the next batch of a job.
     *
     * @param max maximum number of messages on which to act, 1 to {@value #MAX_BATCH}
     */
    Batch next(StoredJob job, int max) {
        JobRequest request = job.job().request();
        switch (request.action()) {
            case PAUSE -> nodes.pause(request.topic(), null, null, request.by());
            case RESUME -> nodes.resume(request.topic(), null, null);
            case REPLAY, PURGE -> {
                return registry.awaitWithShards(request.topic(), shards -> deadLetters(job, shards, max))
                        .orElse(new Batch(0, 0, null, false));
            }
            case RUN, CANCEL -> {
                return registry.awaitWithShards(request.topic(), shards -> messages(job, shards, max))
                        .orElse(new Batch(0, 0, null, false));
            }
            case MOVE -> {
                return registry.awaitWithShards(request.topic(), shards -> move(job, shards, max))
                        .orElse(new Batch(0, 0, null, false));
            }
        }
        return new Batch(1, 0, null, false);
    }

    // ---- dead letters ----------------------------------------------------------------------------------------------

    /**
     * Acts on dead letters, youngest first, shard by shard. The position counts dead letters of one millisecond and is
     * therefore inexact while others remove dead letters: passes are repeated until one finds nothing to act on.
     */
    private Batch deadLetters(StoredJob job, List<Shard> shards, int max) {
        DeadLetterFilter filter = job.job().request().filter();
        Instant until = filter.until() == null || filter.until().isAfter(job.begin()) ? job.begin() : filter.until();
        // a position has no time before 1970
        Instant youngest = until.isBefore(Instant.EPOCH) ? Instant.EPOCH : until;
        DeadLetterCursor from =
                job.position().isEmpty() ? DeadLetterCursor.from(youngest) : DeadLetterCursor.parse(job.position());
        if (from.shard() >= shards.size()) {
            return job.acted() ? new Batch(0, 0, "", true) : new Batch(0, 0, null, false);
        }
        Shard shard = shards.get(from.shard());
        List<DeadLetterEntry> page = Await.call(() -> reader.deadLetterKinds(shard, from.page(PollRequest.MAX_BATCH)));
        if (page.isEmpty() || filter.isTooOld(page.get(0))) {
            return new Batch(0, 0, new DeadLetterCursor(youngest, 0, from.shard() + 1).text(), false);
        }
        List<DeadLetterEntry> read = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (DeadLetterEntry entry : page) {
            if (ids.size() == max) {
                break;
            }
            read.add(entry);
            if (isSelected(entry, filter)) {
                ids.add(entry.deadLetterId());
            }
        }
        Removal removal = ids.isEmpty()
                ? new Removal(Set.of(), 0)
                : remove(shard, ids, job.job().request());
        List<Instant> left = read.stream()
                .filter(entry -> !isSelected(entry, filter) || removal.kept.contains(entry.deadLetterId()))
                .map(DeadLetterEntry::deadLetteredAt)
                .toList();
        List<Instant> times = read.stream().map(DeadLetterEntry::deadLetteredAt).toList();
        return new Batch(
                removal.done, removal.kept.size(), from.after(times, left).text(), false);
    }

    /** Whether the job acts on a dead letter. The store removes no entries of foreign clients. */
    private static boolean isSelected(DeadLetterEntry entry, DeadLetterFilter filter) {
        return entry.deadLetterId().indexOf('@') >= 0 && filter.matches(entry);
    }

    /** The dead letters that stay, and the number of those that this call removed. */
    private record Removal(Set<String> kept, long done) {}

    private Removal remove(Shard shard, List<String> ids, JobRequest request) {
        if (request.action() == JobAction.PURGE) {
            return new Removal(Set.of(), Await.call(() -> store.purge(shard, new Purge.Named(ids))));
        }
        List<ReplayOutcome> outcomes = Await.call(() -> store.replay(shard, ids, Due.after(request.delay())));
        Set<String> kept = new HashSet<>();
        long done = 0;
        for (int i = 0; i < ids.size(); i++) {
            String id = ids.get(i);
            if (outcomes.get(i) == ReplayOutcome.REPLAYED) {
                done++;
                events.publish(listener -> listener.replayed(shard.topic(), id));
            } else if (outcomes.get(i) != ReplayOutcome.NOT_FOUND) {
                kept.add(id);
            }
        }
        return new Removal(kept, done);
    }

    // ---- messages --------------------------------------------------------------------------------------------------

    /** A page of the messages on which a job acts, and where the next one begins; null at the end. */
    private record Page(
            List<MessageSnapshot> messages, @Nullable String next) {}

    /** Reads scheduled messages, then those that are or became ready, then suspects; each by due time. */
    private Page page(StoredJob job, List<Shard> shards, int max) {
        String position = job.position();
        MessageView view = VIEWS.stream()
                .filter(each -> position.startsWith(MessagePages.initials(each)))
                .findFirst()
                .orElse(MessageView.SCHEDULED);
        MessagePage page = pages.read(
                shards,
                view,
                position.length() <= MessagePages.initials(view).length() ? null : MessagePages.parse(view, position),
                max);
        String next = page.next();
        int following = VIEWS.indexOf(view) + 1;
        if (next == null && following < VIEWS.size() && job.job().request().action() != JobAction.RUN) {
            next = MessagePages.initials(VIEWS.get(following));
        }
        List<MessageSnapshot> messages = page.messages().stream()
                .filter(message -> !message.envelope().sentAt().isAfter(job.begin()))
                .toList();
        return new Page(messages, next);
    }

    private Batch messages(StoredJob job, List<Shard> shards, int max) {
        Page page = page(job, shards, max);
        List<CompletableFuture<Boolean>> acts =
                page.messages().stream().map(message -> act(job, message)).toList();
        List<Boolean> done;
        try {
            done = Await.result(Completions.all(acts));
        } catch (RedisCallException e) {
            long acted = acts.stream().filter(JobWork::hasActed).count();
            if (acted == 0) {
                throw e;
            }
            return new Batch(acted, 0, job.position(), false); // the next batch tries the others again
        }
        long acted = done.stream().filter(Boolean::booleanValue).count();
        return new Batch(acted, done.size() - acted, page.next(), false);
    }

    private static boolean hasActed(CompletableFuture<Boolean> act) {
        return act.isDone() && !act.isCompletedExceptionally() && act.join();
    }

    private CompletableFuture<Boolean> act(StoredJob job, MessageSnapshot message) {
        JobRequest request = job.job().request();
        return switch (request.action()) {
            case RUN ->
                registry.withShard(
                                message.topic(),
                                message.id(),
                                shard -> store.reschedule(shard, message.id(), Due.NOW, job.begin()))
                        .thenApply(outcome -> outcome.orElse(null) == RescheduleOutcome.RESCHEDULED);
            default -> cancel(job, message);
        };
    }

    /** Keeps a message that replaced this one since it was read. */
    private CompletableFuture<Boolean> cancel(StoredJob job, MessageSnapshot message) {
        return registry.withShard(
                        message.topic(), message.id(), shard -> store.cancel(shard, message.id(), job.begin()))
                .thenApply(outcome -> {
                    boolean cancelled = outcome.orElse(CancelOutcome.NOT_FOUND) != CancelOutcome.NOT_FOUND;
                    if (cancelled) {
                        events.publish(listener -> listener.cancelled(message.topic(), message.id()));
                    }
                    return cancelled;
                });
    }

    private Batch move(StoredJob job, List<Shard> shards, int max) {
        long finished = finish(job, shards);
        Page page = page(job, shards, max);
        List<String> ids = page.messages().stream()
                .filter(message -> !message.envelope().sentAt().equals(Instant.EPOCH)) // unreadable
                .map(MessageSnapshot::id)
                .toList();
        MessageMover.Moved moved = mover.move(shards, target(job), ids, job.begin());
        publishMoved(job, moved.ids());
        return new Batch(
                finished + moved.ids().size(),
                page.messages().size() - moved.ids().size(),
                page.next(),
                false,
                moved.isFull()
                        ? "Topic " + Printable.of(target(job)) + " is full: it has as many messages as its limit"
                                + " (max-messages) permits. The other messages stay in topic "
                                + Printable.of(job.job().request().topic())
                                + ". Move them when some of the target are handled, or raise its limit."
                        : null);
    }

    /**
     * Finishes the batch of a move that was interrupted, if there is one.
     *
     * @return number of messages that are now moved
     */
    long finish(StoredJob job) {
        return registry.awaitWithShards(job.job().request().topic(), shards -> finish(job, shards))
                .orElse(0L);
    }

    private long finish(StoredJob job, List<Shard> shards) {
        Set<String> moved = mover.finish(shards, target(job));
        publishMoved(job, moved);
        return moved.size();
    }

    private void publishMoved(StoredJob job, Set<String> ids) {
        String target = target(job);
        for (String id : ids) {
            events.publish(listener -> listener.sent(target, 1));
            events.publish(listener -> listener.cancelled(job.job().request().topic(), id));
        }
    }

    private static String target(StoredJob job) {
        return Objects.requireNonNull(job.job().request().target());
    }
}
