package io.delayqueue.store.script;

import io.delayqueue.message.CancelOutcome;
import io.delayqueue.message.DeadLetter;
import io.delayqueue.message.Due;
import io.delayqueue.message.MessageSnapshot;
import io.delayqueue.message.ReplayOutcome;
import io.delayqueue.message.RescheduleOutcome;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.ShardKeys;
import io.delayqueue.store.LetterQuery;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.Purge;
import io.delayqueue.store.SendReply;
import io.delayqueue.store.ShardCounts;
import io.delayqueue.store.StepReply;
import io.delayqueue.store.StepRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The state machine in Redis. Each verb runs the script of its name. */
public final class RedisMessageStore implements MessageStore {

    private static final LuaScript CANCEL = script("cancel");
    private static final LuaScript RESCHEDULE = script("reschedule");
    private static final LuaScript FIND = script("find");
    private static final LuaScript COUNT = script("count");
    private static final LuaScript LETTERS = script("letters");
    private static final LuaScript REPLAY = script("replay");
    private static final LuaScript PURGE = script("purge");
    private static final LuaScript ATTEND = script("attend");

    private final ShardCalls calls;
    private final KeySpace keySpace;

    /** Over the scripts and names of one namespace. */
    public RedisMessageStore(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.keySpace = keySpace;
        this.calls = new ShardCalls(scripts, keySpace, registry);
    }

    private static LuaScript script(String name) {
        return LuaScript.beside(RedisMessageStore.class, name);
    }

    @Override
    public SendReply send(Shard shard, List<OutgoingMessage> messages) {
        return SendScript.read(
                messages, calls.run(SendScript.SCRIPT, shard, ShardKeyList.LANE, sending(shard, messages)));
    }

    @Override
    public CompletableFuture<SendReply> sendAsync(Shard shard, List<OutgoingMessage> messages) {
        return calls.runAsync(SendScript.SCRIPT, shard, ShardKeyList.LANE, sending(shard, messages))
                .thenApply(reply -> SendScript.read(messages, reply));
    }

    private Consumer<Arguments> sending(Shard shard, List<OutgoingMessage> messages) {
        return arguments -> {
            signal(arguments);
            SendScript.write(arguments, keySpace.of(shard), messages);
        };
    }

    @Override
    public StepReply step(Shard shard, StepRequest request) {
        return StepScript.read(
                request, calls.run(StepScript.SCRIPT, shard, ShardKeyList.STEP, stepping(shard, request)));
    }

    @Override
    public CompletableFuture<StepReply> stepAsync(Shard shard, StepRequest request) {
        return calls.runAsync(StepScript.SCRIPT, shard, ShardKeyList.STEP, stepping(shard, request))
                .thenApply(reply -> StepScript.read(request, reply));
    }

    private Consumer<Arguments> stepping(Shard shard, StepRequest request) {
        return arguments -> {
            signal(arguments);
            StepScript.write(arguments, keySpace.of(shard), request);
        };
    }

    @Override
    public CancelOutcome cancel(Shard shard, String id) {
        return calls.look(CANCEL, shard, ShardKeyList.LANE, arguments -> arguments.add(known(id)))
                .map(reply -> switch (Replies.text(reply.get(1))) {
                    case "c" -> CancelOutcome.CANCELLED;
                    case "h" -> CancelOutcome.CANCELLED_WHILE_HANDLED;
                    default -> CancelOutcome.NOT_FOUND;
                })
                .orElse(CancelOutcome.NOT_FOUND);
    }

    @Override
    public RescheduleOutcome reschedule(Shard shard, String id, Due due) {
        ShardKeys keys = keySpace.of(shard);
        return calls.look(RESCHEDULE, shard, ShardKeyList.LANE, arguments -> {
                    signal(arguments);
                    arguments.add(keys.signal()).add(known(id)).add(SendScript.due(due));
                })
                .map(reply -> switch (Replies.text(reply.get(1))) {
                    case "r" -> RescheduleOutcome.RESCHEDULED;
                    case "l" -> RescheduleOutcome.BEING_HANDLED;
                    default -> RescheduleOutcome.NOT_FOUND;
                })
                .orElse(RescheduleOutcome.NOT_FOUND);
    }

    @Override
    public Optional<MessageSnapshot> find(Shard shard, String id) {
        return calls.look(FIND, shard, ShardKeyList.LANE, arguments -> arguments.add(known(id)))
                .flatMap(reply -> SnapshotReply.read(shard.topic(), id, reply));
    }

    @Override
    public ShardCounts count(Shard shard) {
        return calls.look(COUNT, shard, ShardKeyList.LETTERS, CountReply::ask)
                .map(CountReply::read)
                .orElse(ShardCounts.ZERO);
    }

    @Override
    public CompletableFuture<ShardCounts> countAsync(Shard shard) {
        return calls.lookAsync(COUNT, shard, ShardKeyList.LETTERS, CountReply::ask)
                .thenApply(reply -> reply.map(CountReply::read).orElse(ShardCounts.ZERO));
    }

    @Override
    public List<DeadLetter> letters(Shard shard, LetterQuery query) {
        if (query instanceof LetterQuery.One one && !isLetter(one.letterId())) {
            return List.of();
        }
        return calls.look(LETTERS, shard.messages(), ShardKeyList.LETTERS, arguments -> writeQuery(arguments, query))
                .map(reply -> letters(shard.topic(), reply))
                .orElse(List.of());
    }

    private static List<DeadLetter> letters(String topic, List<Object> reply) {
        List<Object> ids = Replies.list(reply.get(2));
        List<Object> records = Replies.list(reply.get(3));
        List<Object> died = Replies.list(reply.get(4));
        List<DeadLetter> letters = new ArrayList<>(ids.size());
        for (int i = 0; i < ids.size() && i < records.size(); i++) {
            if (records.get(i) != null) {
                letters.add(LetterFormat.read(
                        topic, Replies.text(ids.get(i)), died(died.get(i)), Replies.bytes(records.get(i))));
            }
        }
        return letters;
    }

    private static Instant died(Object score) {
        return Replies.text(score).isEmpty() ? Instant.EPOCH : Replies.millis(score);
    }

    private static void writeQuery(Arguments arguments, LetterQuery query) {
        if (query instanceof LetterQuery.One one) {
            arguments.add(one.letterId()).add(0).add(0).add(1);
        } else if (query instanceof LetterQuery.Page page) {
            Instant until = page.diedUntil();
            arguments
                    .add("")
                    .add(beforeNever(until == null ? Instant.MAX : until))
                    .add(page.offset())
                    .add(page.count());
        }
        arguments.add(StepRequest.MAX_BYTES);
    }

    @Override
    public ReplayOutcome replay(Shard shard, String letterId, Due due) {
        if (letterId.equals(ShardCalls.SENTINEL)) {
            return ReplayOutcome.NOT_FOUND;
        }
        ShardKeys keys = keySpace.of(shard.messages());
        return calls.look(REPLAY, shard.messages(), ShardKeyList.ALL, arguments -> {
                    signal(arguments);
                    arguments.add(keys.signal()).add(letterId).add(SendScript.due(due));
                })
                .map(reply -> switch (Replies.text(reply.get(1))) {
                    case "r" -> ReplayOutcome.REPLAYED;
                    case "l" -> ReplayOutcome.ID_LIVE;
                    case "u" -> ReplayOutcome.UNREADABLE;
                    default -> ReplayOutcome.NOT_FOUND;
                })
                .orElse(ReplayOutcome.NOT_FOUND);
    }

    @Override
    public int purge(Shard shard, Purge purge) {
        return calls.look(PURGE, shard.messages(), ShardKeyList.ALL, arguments -> writePurge(arguments, purge))
                .map(reply -> (int) Replies.number(reply.get(2)))
                .orElse(0);
    }

    private static void writePurge(Arguments arguments, Purge purge) {
        if (purge instanceof Purge.Named named) {
            arguments.add("n");
            named.letterIds().stream().filter(RedisMessageStore::isLetter).forEach(arguments::add);
        } else if (purge instanceof Purge.DiedUntil died) {
            arguments.add("o").add(beforeNever(died.until())).add(StepRequest.MAX_BATCH);
        } else if (purge instanceof Purge.Retention retention) {
            arguments.add("r").add(retention.maxAge().toMillis()).add(retention.maxCount());
            arguments.add(StepRequest.MAX_BATCH);
        }
    }

    @Override
    public CompletableFuture<Void> attendDeathsAsync(Shard shard) {
        return calls.runAsync(ATTEND, shard.messages(), ShardKeyList.LANE, arguments -> {})
                .thenApply(reply -> null);
    }

    /** The sentinel stands where ids do, but is as unknown as the empty id. */
    private static String known(String id) {
        return id.equals(ShardCalls.SENTINEL) ? "" : id;
    }

    private static boolean isLetter(String id) {
        return id.indexOf('@') >= 0;
    }

    /** In ms since 1970, never so late that the sentinel were meant. */
    private static long beforeNever(Instant until) {
        Instant last = Instant.ofEpochMilli(StepReply.NEVER - 1);
        return until.isBefore(Instant.EPOCH) ? -1 : until.isAfter(last) ? StepReply.NEVER - 1 : until.toEpochMilli();
    }

    private void signal(Arguments arguments) {
        arguments.add(keySpace.signalChannel());
    }
}
