package io.delayqueue.store.script;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.message.Due;
import io.delayqueue.message.Durability;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Keys;
import io.delayqueue.message.TopicCounts;
import io.delayqueue.message.Versions;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.DeadLetterQuery;
import io.delayqueue.store.LimitState;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.OutgoingMessage.Memory;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.Purge;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.VersionedCancel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The message store on Redis. Each method runs one Lua script. Thread-safe. */
public final class RedisMessageStore implements MessageStore {

    private static final LuaScript CANCEL = script("cancel");
    private static final LuaScript RESCHEDULE = script("reschedule");
    private static final LuaScript FIND = script("find");
    private static final LuaScript COUNT = script("count");
    private static final LuaScript DEAD_LETTERS = script("deadletters");
    private static final LuaScript REPLAY = script("replay");
    private static final LuaScript PURGE = script("purge");
    private static final LuaScript REVIEW = script("review");
    private static final LuaScript ENABLE_NOTIFICATIONS = script("notifications");

    /**
     * Largest number of due messages that the script reads to find the one that has waited longest. This need not be
     * the first one: a message that was sent with a past due time precedes messages that have waited longer.
     */
    private static final int MAX_READ = 100;

    private final ShardCalls calls;
    private final Recurrences recurrences;

    /** Creates the store of one namespace. */
    public RedisMessageStore(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.calls = new ShardCalls(scripts, keySpace, registry);
        this.recurrences = new Recurrences(calls);
    }

    private static LuaScript script(String name) {
        return LuaScript.beside(RedisMessageStore.class, name);
    }

    @Override
    public CompletableFuture<List<SendReply>> send(Shard shard, List<OutgoingMessage> messages, Durability durability) {
        if (!messages.stream().allMatch(message -> shard.keys().accept(message.key()))) {
            return sendThoseThatFit(shard, messages, durability);
        }
        return calls.run(
                        SendScript.SCRIPT,
                        shard,
                        keys -> SendScript.keys(keys, messages),
                        call -> SendScript.write(call.durability(durability), messages))
                .thenApply(reply -> SendScript.read(messages, reply, durability));
    }

    /** Rejects the messages without a key that need one, or with a key that has no meaning, and sends the others. */
    private CompletableFuture<List<SendReply>> sendThoseThatFit(
            Shard shard, List<OutgoingMessage> messages, Durability durability) {
        List<OutgoingMessage> fitting = messages.stream()
                .filter(message -> shard.keys().accept(message.key()))
                .toList();
        CompletableFuture<List<SendReply>> sent =
                fitting.isEmpty() ? CompletableFuture.completedFuture(List.of()) : send(shard, fitting, durability);
        SendReply rejected = new SendReply(
                shard.keys() == Keys.NONE ? SendReply.Outcome.KEY_UNUSED : SendReply.Outcome.KEY_MISSING,
                Instant.EPOCH,
                false,
                0,
                null);
        return sent.thenApply(replies -> {
            Iterator<SendReply> next = replies.iterator();
            return messages.stream()
                    .map(message -> shard.keys().accept(message.key()) ? next.next() : rejected)
                    .toList();
        });
    }

    @Override
    public CompletableFuture<Optional<PollReply>> poll(
            Shard shard, PollRequest request, boolean register, Durability durability) {
        Consumer<ScriptCall> writer = call -> PollScript.write(call.durability(durability), request);
        CompletableFuture<Optional<List<Object>>> called = register
                ? calls.run(PollScript.SCRIPT, shard, ShardKeys::withNewNotifications, writer)
                        .thenApply(Optional::of)
                : calls.runIfRegistered(PollScript.SCRIPT, shard, ShardKeys::withNewNotifications, writer);
        return called.thenApply(found -> found.map(reply -> {
            if (PollScript.hasUnarmed(reply)) {
                recurrences.rearm(shard);
            }
            return PollScript.read(request, reply, durability);
        }));
    }

    @Override
    public CompletableFuture<CancelOutcome> cancel(Shard shard, String id, Durability durability) {
        return cancel(shard, id, durability, ScriptCall::notRepeatable).thenApply(VersionedCancel::outcome);
    }

    @Override
    public CompletableFuture<CancelOutcome> cancel(Shard shard, String id, Memory memory, Durability durability) {
        return calls.runIfRegistered(
                        CANCEL,
                        shard,
                        ShardKeys::queueWithSent,
                        call -> call.durability(durability)
                                .add(known(id))
                                .add(memory.nonce())
                                .add(memory.time().toMillis()))
                .thenApply(found -> cancelled(found, durability).outcome());
    }

    @Override
    public CompletableFuture<CancelOutcome> cancel(Shard shard, String id, Instant sentUntil) {
        return cancel(
                        shard,
                        id,
                        Durability.NONE,
                        call -> call.add(Versions.digits(DelayMessage.MAX_VERSION))
                                .add("0")
                                .add(sentUntil.toEpochMilli())
                                .notRepeatable())
                .thenApply(VersionedCancel::outcome);
    }

    private CompletableFuture<VersionedCancel> cancel(
            Shard shard, String id, Durability durability, Consumer<ScriptCall> options) {
        return calls.runIfExists(CANCEL, shard, ShardKeys::queue, call -> {
                    call.durability(durability).add(known(id));
                    options.accept(call);
                })
                .thenApply(found -> cancelled(found, durability));
    }

    private static VersionedCancel cancelled(Optional<List<Object>> found, Durability durability) {
        return confirmed(found, durability).map(RedisMessageStore::cancelled).orElse(VersionedCancel.NOT_FOUND);
    }

    private static VersionedCancel cancelled(List<Object> reply) {
        String code = Replies.text(reply.get(1));
        String version = Replies.text(reply.get(2));
        return new VersionedCancel(
                switch (code) {
                    case "c" -> CancelOutcome.CANCELLED;
                    case "h" -> CancelOutcome.CANCELLED_WHILE_HANDLED;
                    default -> CancelOutcome.NOT_FOUND;
                },
                code.equals("l"),
                version.isEmpty() ? VersionedCancel.NO_VERSION : Long.parseLong(version));
    }

    @Override
    public CompletableFuture<RescheduleOutcome> reschedule(Shard shard, String id, Due due, Durability durability) {
        return reschedule(shard, id, due, durability, call -> {});
    }

    @Override
    public CompletableFuture<RescheduleOutcome> reschedule(Shard shard, String id, Due due, Instant sentUntil) {
        return reschedule(shard, id, due, Durability.NONE, call -> call.add(sentUntil.toEpochMilli()));
    }

    private CompletableFuture<RescheduleOutcome> reschedule(
            Shard shard, String id, Due due, Durability durability, Consumer<ScriptCall> options) {
        return calls.runIfExists(RESCHEDULE, shard, ShardKeys::queue, call -> {
                    call.durability(durability).add(known(id)).add(SendScript.due(due));
                    options.accept(call);
                })
                .thenApply(found -> switch (outcome(confirmed(found, durability))) {
                    case "r" -> RescheduleOutcome.RESCHEDULED;
                    case "l" -> RescheduleOutcome.BEING_HANDLED;
                    default -> RescheduleOutcome.NOT_FOUND;
                });
    }

    @Override
    public CompletableFuture<Optional<MessageSnapshot>> find(Shard shard, String id) {
        return calls.runIfExists(FIND, shard, ShardKeys::queue, call -> call.add(known(id)))
                .thenApply(found -> found.flatMap(reply -> SnapshotReply.read(
                        shard.topic(), id, Replies.micros(reply.get(1)), Replies.list(reply.get(2)))));
    }

    @Override
    public CompletableFuture<VersionedCancel> cancelUpTo(
            Shard shard, String id, long version, boolean handled, Durability durability) {
        String digits = Versions.digits(version);
        return cancel(
                shard,
                id,
                durability,
                call -> call.add(digits).add(handled ? "1" : "0").notRepeatable());
    }

    @Override
    public CompletableFuture<VersionedCancel> version(Shard shard, String id) {
        return cancel(shard, id, Durability.NONE, call -> call.add(""));
    }

    @Override
    public CompletableFuture<ShardCounts> count(Shard shard) {
        return calls.runIfExists(
                        COUNT,
                        shard,
                        ShardKeys::counted,
                        call -> call.add(MAX_READ).add(PollRequest.MAX_BYTES))
                .thenApply(reply -> reply.map(RedisMessageStore::counts).orElse(ShardCounts.ZERO));
    }

    private static ShardCounts counts(List<Object> reply) {
        long ready = Replies.number(reply.get(3));
        List<Object> times = Replies.list(reply.get(10));
        TopicCounts counts = new TopicCounts(
                Replies.number(reply.get(2)),
                ready,
                Replies.number(reply.get(8)),
                Replies.number(reply.get(11)),
                Replies.number(reply.get(4)),
                Replies.number(reply.get(5)),
                Replies.number(reply.get(6)),
                Replies.number(reply.get(12)),
                ready == 0
                        ? Duration.ZERO
                        : Duration.between(Replies.millis(reply.get(7)), Replies.micros(reply.get(1))),
                time(times.get(0)),
                time(times.get(1)),
                time(times.get(2)));
        return new ShardCounts(counts, limits(Replies.list(reply.get(9)), Replies.micros(reply.get(1))));
    }

    private static @Nullable Instant time(Object score) {
        return Replies.text(score).isEmpty() ? null : Replies.millis(score);
    }

    private static @Nullable LimitState limits(List<Object> fields, Instant now) {
        return fields.isEmpty()
                ? null
                : LimitState.read(
                        Replies.text(fields.get(0)),
                        Replies.text(fields.get(1)),
                        Replies.text(fields.get(2)),
                        Replies.text(fields.get(4)).equals("1"),
                        Replies.number(fields.get(3)),
                        now);
    }

    @Override
    public CompletableFuture<List<DeadLetter>> deadLetters(Shard shard, DeadLetterQuery query) {
        if (query instanceof DeadLetterQuery.One one && !isDeadLetter(one.deadLetterId())) {
            return CompletableFuture.completedFuture(List.of());
        }
        return calls.runIfExists(
                        DEAD_LETTERS, shard.messages(), ShardKeys::withDeadLetters, call -> writeQuery(call, query))
                .thenApply(found ->
                        found.map(reply -> deadLetters(shard.topic(), reply)).orElse(List.of()));
    }

    private static List<DeadLetter> deadLetters(String topic, List<Object> reply) {
        List<Object> ids = Replies.list(reply.get(2));
        List<Object> records = Replies.list(reply.get(3));
        List<Object> deadLetteredAt = Replies.list(reply.get(4));
        List<DeadLetter> deadLetters = new ArrayList<>(ids.size());
        for (int i = 0; i < ids.size() && i < records.size(); i++) {
            if (records.get(i) != null) {
                deadLetters.add(DeadLetterFormat.read(
                        topic,
                        Replies.text(ids.get(i)),
                        deadLetteredAt(deadLetteredAt.get(i)),
                        Replies.bytes(records.get(i))));
            }
        }
        return deadLetters;
    }

    private static Instant deadLetteredAt(Object score) {
        return Replies.text(score).isEmpty() ? Instant.EPOCH : Replies.millis(score);
    }

    private static void writeQuery(ScriptCall call, DeadLetterQuery query) {
        if (query instanceof DeadLetterQuery.One one) {
            call.add(one.deadLetterId()).add(0).add(0).add(1);
        } else if (query instanceof DeadLetterQuery.Page page) {
            call.add("").add(deadLetteredUntil(page)).add(page.offset()).add(page.count());
        }
        call.add(PollRequest.MAX_BYTES);
    }

    static long deadLetteredUntil(DeadLetterQuery.Page page) {
        Instant until = page.deadLetteredUntil();
        return beforeNever(until == null ? Instant.MAX : until);
    }

    @Override
    public CompletableFuture<List<ReplayOutcome>> replay(Shard shard, List<String> deadLetterIds, Due due) {
        return calls.runIfExists(REPLAY, shard.messages(), ShardKeys::withNotifications, call -> {
                    call.add(SendScript.due(due)).notRepeatable();
                    deadLetterIds.forEach(id -> call.add(known(id)));
                })
                .thenApply(found -> found.map(reply -> replayed(Replies.text(reply.get(1))))
                        .orElse(Collections.nCopies(deadLetterIds.size(), ReplayOutcome.NOT_FOUND)));
    }

    private static List<ReplayOutcome> replayed(String outcomes) {
        return outcomes.chars()
                .mapToObj(outcome -> switch (outcome) {
                    case 'r' -> ReplayOutcome.REPLAYED;
                    case 'l' -> ReplayOutcome.ID_LIVE;
                    case 'u' -> ReplayOutcome.UNREADABLE;
                    default -> ReplayOutcome.NOT_FOUND;
                })
                .toList();
    }

    @Override
    public CompletableFuture<Integer> purge(Shard shard, Purge purge) {
        return calls.runIfExists(PURGE, shard.messages(), ShardKeys::withSent, call -> writePurge(call, purge))
                .thenApply(reply ->
                        reply.map(found -> (int) Replies.number(found.get(2))).orElse(0));
    }

    private static void writePurge(ScriptCall call, Purge purge) {
        if (purge instanceof Purge.Named named) {
            call.add("n").notRepeatable();
            named.deadLetterIds().stream()
                    .filter(RedisMessageStore::isDeadLetter)
                    .forEach(call::add);
        } else if (purge instanceof Purge.Retention retention) {
            call.add("r").add(retention.maxAge().toMillis()).add(retention.maxCount());
            call.add(PollRequest.MAX_BATCH).add(retention.maxBytes());
        }
    }

    @Override
    public CompletableFuture<Void> markReviewed(Shard shard) {
        return calls.runIfExists(REVIEW, shard.messages(), ShardKeys::queue, call -> {})
                .thenApply(reply -> null);
    }

    @Override
    public CompletableFuture<Void> enableNotifications(Shard shard) {
        return calls.run(ENABLE_NOTIFICATIONS, shard.messages(), ShardKeys::queue, call -> {})
                .thenApply(reply -> null);
    }

    /** Returns the reply; throws if the durability that was asked for is not confirmed. */
    private static Optional<List<Object>> confirmed(Optional<List<Object>> reply, Durability durability) {
        RedisCallException unconfirmed =
                reply.map(found -> Replies.unconfirmed(found, durability)).orElse(null);
        if (unconfirmed != null) {
            throw unconfirmed;
        }
        return reply;
    }

    /** The letter that encodes the outcome of a script; empty if the shard is absent. */
    private static String outcome(Optional<List<Object>> reply) {
        return reply.map(parts -> Replies.text(parts.get(1))).orElse("");
    }

    /** Replaces the sentinel by the empty id, because the sentinel is in the keys but is no message. */
    private static String known(String id) {
        return id.equals(ShardCalls.SENTINEL) ? "" : id;
    }

    private static boolean isDeadLetter(String id) {
        return id.indexOf('@') >= 0;
    }

    /** Milliseconds since 1970, limited so that the result never includes the sentinel. */
    private static long beforeNever(Instant until) {
        Instant last = Instant.ofEpochMilli(PollReply.NEVER - 1);
        return until.isBefore(Instant.EPOCH) ? -1 : until.isAfter(last) ? PollReply.NEVER - 1 : until.toEpochMilli();
    }
}
