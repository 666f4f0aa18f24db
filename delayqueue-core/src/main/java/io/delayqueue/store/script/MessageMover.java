package io.delayqueue.store.script;

import io.delayqueue.message.Completions;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.redis.ShardKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Moves scheduled messages to another topic. Thread-safe.
 *
 * <p>Two shards cannot be changed atomically, because they are on different servers of a Cluster. Therefore each message
 * is moved by four scripts:
 *
 * <ol>
 *   <li>{@code movereserve} reserves its id in the target, unless the id is live there. A reserved id is not live and
 *       blocks nothing. It permits to store the message once.
 *   <li>{@code movetake} takes it from the source, if it is still scheduled there. This decides the move: from now on it
 *       cannot be claimed, cancelled or rescheduled in the source, but it is still stored there.
 *   <li>{@code movestore} stores it in the target and removes the reservation, or refuses it if its id is live now or the
 *       target is full.
 *   <li>{@code moveend} removes it from the source, or puts it back if the target refused it.
 * </ol>
 *
 * <p>What an interrupted move left is found by {@code moves}, and anyone can finish it at any time, also while the mover is
 * still at it: {@code movetake} without taking says which messages are taken and prevents that this move takes others.
 * These are stored and removed as above. All other reservations of a shard are dropped, if they were read before: the mover
 * may reserve ids of further shards meanwhile. No other reservation ends before its message is stored,
 * so a taken message without a reservation is stored.
 */
public final class MessageMover {

    private static final LuaScript RESERVE = LuaScript.beside(MessageMover.class, "movereserve");
    private static final LuaScript TAKE = LuaScript.beside(MessageMover.class, "movetake");
    private static final LuaScript STORE = LuaScript.beside(MessageMover.class, "movestore");
    private static final LuaScript END = LuaScript.beside(MessageMover.class, "moveend");
    private static final LuaScript MOVES = LuaScript.beside(MessageMover.class, "moves");

    /** Largest number of taken messages of a shard to finish at once. */
    private static final int MAX_TAKEN = 500;

    private final ShardCalls calls;
    private final TopicRegistry registry;
    /** The name of this mover, which no other one ever has: letters and digits. */
    private final String name = UUID.randomUUID().toString().replace("-", "");

    private final AtomicLong sequence = new AtomicLong();

    /** Creates a mover of one namespace. */
    public MessageMover(ScriptRunner scripts, KeySpace keySpace, TopicRegistry registry) {
        this.calls = new ShardCalls(scripts, keySpace, registry);
        this.registry = registry;
    }

    /** What {@code movestore.lua} leaves reserved of the other ids of a move. */
    private enum Rest {
        ALL("a"),
        REFUSED("r"),
        NONE("n");

        private final String letter;

        Rest(String letter) {
            this.letter = letter;
        }
    }

    /** A taken message: its due time, and what is stored of it after its times. */
    @SuppressWarnings("ArrayRecordComponent") // handed straight from one script to the next
    private record Taken(String id, byte[] due, byte[] stored) {}

    /**
     * What a move did.
     *
     * @param ids ids of the messages that were moved
     * @param isFull whether the target refused a message because it is full
     */
    public record Moved(Set<String> ids, boolean isFull) {

        private static final Moved NOTHING = new Moved(Set.of(), false);
    }

    /** A move of messages from one topic to another. */
    private record Move(String name, String target) {}

    /**
     * Moves messages. A message is not moved if it is not scheduled any more, if its id is live in the target, or if the
     * target is full.
     *
     * @param source all shards of the topic that has the messages
     * @param target the other topic; it is registered if it is not
     * @param ids ids of at most 500 messages
     * @param sentUntil a message that was sent after this time is not moved
     * @return the messages that were moved
     * @throws io.delayqueue.redis.RedisCallException if a script has no reply; then {@link #finish} finishes the move
     */
    public Moved move(List<Shard> source, String target, List<String> ids, Instant sentUntil) {
        if (ids.isEmpty()) {
            return Moved.NOTHING;
        }
        Move move = new Move(name + '-' + sequence.incrementAndGet(), target);
        List<Shard> targetShards = Await.call(() -> registry.shards(target));
        Set<String> reserved = new LinkedHashSet<>();
        byShard(targetShards, ids).forEach((shard, wanted) -> reserved.addAll(reserve(shard, move, source, wanted)));
        return moved(
                move,
                source,
                targetShards,
                reserved,
                Long.toString(sentUntil.toEpochMilli()),
                new HashSet<>(targetShards));
    }

    /**
     * Finishes the moves from a topic that others began and did not end.
     *
     * @param target the other topic, for reservations of which no message was taken
     * @return the ids of the messages that are now moved
     */
    public Set<String> finish(List<Shard> source, String target) {
        Map<Move, Set<String>> found = new LinkedHashMap<>();
        Map<Move, Set<Shard>> reserved = new HashMap<>();
        for (Shard shard : shardsOf(target)) {
            List<Object> reservations = unfinished(shard, 1);
            for (int i = 0; i + 2 < reservations.size(); i += 3) {
                if (Replies.text(reservations.get(i + 1)).equals(source.get(0).topic())) {
                    Move move = new Move(Replies.text(reservations.get(i)), target);
                    Replies.list(reservations.get(i + 2))
                            .forEach(id -> found.computeIfAbsent(move, any -> new LinkedHashSet<>())
                                    .add(Replies.text(id)));
                    reserved.computeIfAbsent(move, any -> new HashSet<>()).add(shard);
                }
            }
        }
        for (Shard shard : source) {
            List<Object> taken = unfinished(shard, 2);
            for (int i = 0; i + 2 < taken.size(); i += 3) {
                found.computeIfAbsent(
                                new Move(Replies.text(taken.get(i)), Replies.text(taken.get(i + 1))),
                                any -> new LinkedHashSet<>())
                        .add(Replies.text(taken.get(i + 2)));
            }
        }
        Set<String> moved = new LinkedHashSet<>();
        found.forEach((move, ids) ->
                moved.addAll(moved(move, source, shardsOf(move.target), ids, "", reserved.getOrDefault(move, Set.of()))
                        .ids()));
        return moved;
    }

    private List<Shard> shardsOf(String topic) {
        return Await.call(() -> registry.registeredShards(topic)).orElse(List.of());
    }

    private List<Object> unfinished(Shard shard, int part) {
        return Await.call(() -> calls.runIfExists(MOVES, shard, ShardKeys::queue, call -> call.add(MAX_TAKEN)))
                .map(reply -> Replies.list(reply.get(part)))
                .orElse(List.of());
    }

    /**
     * Takes, stores and removes messages.
     *
     * @param sentUntil empty to take none, but to continue with those that the move took before
     * @param complete shards of the target of which these are all ids that the move has reserved, so that its reservations
     *     end there
     */
    private Moved moved(
            Move move, List<Shard> source, List<Shard> target, Set<String> ids, String sentUntil, Set<Shard> complete) {
        Map<String, Taken> taken = new HashMap<>();
        Set<String> moved = new LinkedHashSet<>();
        each(byShard(source, ids), (shard, wanted) -> take(shard, move, wanted, sentUntil))
                .forEach(reply -> {
                    for (int i = 0; i < Replies.list(reply.get(1)).size(); i++) {
                        String id = Replies.text(Replies.list(reply.get(1)).get(i));
                        taken.put(
                                id,
                                new Taken(
                                        id,
                                        Replies.bytes(Replies.list(reply.get(2)).get(i)),
                                        Replies.bytes(Replies.list(reply.get(3)).get(i))));
                    }
                    Replies.list(reply.get(4)).forEach(id -> moved.add(Replies.text(id)));
                });
        Map<Shard, List<String>> inTarget = byShard(target, ids);
        inTarget.entrySet()
                .removeIf(each -> !complete.contains(each.getKey())
                        && each.getValue().stream().noneMatch(taken::containsKey));
        Set<String> refused = new LinkedHashSet<>(target.isEmpty() ? taken.keySet() : Set.of());
        AtomicBoolean full = new AtomicBoolean();
        each(inTarget, (shard, wanted) -> {
                    List<Taken> messages = wanted.stream()
                            .filter(taken::containsKey)
                            .map(taken::get)
                            .toList();
                    return store(shard, move, messages, complete.contains(shard) ? Rest.REFUSED : Rest.ALL)
                            .thenApply(outcomes -> {
                                full.compareAndSet(false, outcomes.orElse("").indexOf('f') >= 0);
                                return refused(messages, outcomes.orElse(""));
                            });
                })
                .forEach(refused::addAll);
        taken.keySet().stream().filter(id -> !refused.contains(id)).forEach(moved::add);
        // a send that replaces a taken message may have stopped before it removed the delivery, which names the move
        Set<String> back = sentUntil.isEmpty() ? ids : refused;
        Set<String> all = new LinkedHashSet<>(moved);
        all.addAll(back);
        each(byShard(source, all), (shard, ended) -> end(shard, move, ended, moved));
        Map<Shard, List<String>> refusedIn = byShard(target, back);
        refusedIn.keySet().retainAll(complete);
        each(refusedIn, (shard, any) -> store(shard, move, List.of(), Rest.NONE));
        return new Moved(moved, full.get());
    }

    /** The ids of messages that were not stored. In a shard that does not exist, none was. */
    private static List<String> refused(List<Taken> messages, String outcomes) {
        List<String> refused = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            if (i >= outcomes.length() || outcomes.charAt(i) != 's') {
                refused.add(messages.get(i).id);
            }
        }
        return refused;
    }

    private static Map<Shard, List<String>> byShard(List<Shard> shards, Iterable<String> ids) {
        Map<Shard, List<String>> byShard = new LinkedHashMap<>();
        if (!shards.isEmpty()) {
            ids.forEach(id -> byShard.computeIfAbsent(
                            shards.get(Shard.indexOf(id, shards.size())), any -> new ArrayList<>())
                    .add(id));
        }
        return byShard;
    }

    /** Makes a call for each shard, all at once, and waits for all results. */
    private static <T> List<T> each(
            Map<Shard, List<String>> byShard, BiFunction<Shard, List<String>, CompletableFuture<T>> call) {
        return Await.call(() -> Completions.all(byShard.entrySet().stream()
                .map(entry -> Completions.call(() -> call.apply(entry.getKey(), entry.getValue())))
                .toList()));
    }

    private List<String> reserve(Shard shard, Move move, List<Shard> source, List<String> ids) {
        String outcomes = Await.call(() -> calls.run(RESERVE, shard, ShardKeys::queue, call -> {
                    call.add(move.name).add(source.get(0).topic());
                    ids.forEach(call::add);
                })
                .thenApply(reply -> Replies.text(reply.get(1))));
        return ids.stream()
                .filter(id -> outcomes.charAt(ids.indexOf(id)) == 'r')
                .toList();
    }

    private CompletableFuture<List<Object>> take(Shard shard, Move move, List<String> ids, String sentUntil) {
        return calls.runIfExists(TAKE, shard, ShardKeys::queue, call -> {
                    call.add(move.name).add(move.target).add(sentUntil);
                    ids.forEach(call::add);
                })
                .thenApply(reply -> reply.orElse(List.of("", List.of(), List.of(), List.of(), List.of())));
    }

    private CompletableFuture<Optional<String>> store(Shard shard, Move move, List<Taken> messages, Rest rest) {
        return run(STORE, shard, move, call -> {
                    call.add(rest.letter);
                    messages.forEach(
                            message -> call.add(message.id).add(message.due).add(message.stored));
                })
                .thenApply(reply -> reply.map(found -> Replies.text(found.get(1))));
    }

    private CompletableFuture<Optional<List<Object>>> end(Shard shard, Move move, List<String> ids, Set<String> moved) {
        List<String> removed = ids.stream().filter(moved::contains).toList();
        return run(END, shard, move, call -> {
            call.add(removed.size());
            removed.forEach(call::add);
            ids.stream().filter(id -> !moved.contains(id)).forEach(call::add);
        });
    }

    private CompletableFuture<Optional<List<Object>>> run(
            LuaScript script, Shard shard, Move move, Consumer<ScriptCall> writer) {
        return calls.runIfExists(script, shard, ShardKeys::queue, call -> {
            call.add(move.name);
            writer.accept(call);
        });
    }
}
