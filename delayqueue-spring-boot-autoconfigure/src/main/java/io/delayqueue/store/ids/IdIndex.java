package io.delayqueue.store.ids;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TopicConflictException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The index's scripts. Never blocks. Thread-safe. */
final class IdIndex {

    private static final LuaScript ENTER = script("enter");
    private static final LuaScript SETTLE = script("settle");
    private static final LuaScript WHERE = script("where");
    private static final LuaScript LEAVE = script("leave");
    private static final LuaScript MEET = script("meet");
    private static final LuaScript TURN = script("turn");

    /** More topics than anybody pushes one id under within the grace. */
    private static final int MOST_OTHERS = 100;

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final Duration grace;

    /**
     * Over the scripts and names of one namespace.
     *
     * @param grace for how long a push that stopped midway is reckoned with
     */
    IdIndex(ScriptRunner scripts, KeySpace keySpace, Duration grace) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.grace = grace;
    }

    /**
     * A push has begun.
     *
     * @param number its number
     * @param others topics in which the id may be live
     */
    record Entered(String number, List<String> others) {}

    /** How a push ended. */
    enum End {
        /** It stands, or a later one to the same topic. */
        SETTLED,
        /** A later one to another topic came. */
        LATER,
        /** The entry was another one; it is to be settled again. */
        AGAIN
    }

    /**
     * Whether a push is over.
     *
     * @param others whose messages are to be cancelled before it is settled again
     */
    record Settlement(End end, List<String> others) {}

    /**
     * A page of old entries.
     *
     * @param cursor of the next one, {@code 0} if there is none
     */
    record Page(String cursor, List<Found> found) {}

    /** An old entry. */
    record Found(String id, IdEntry entry) {}

    /**
     * Begins a push.
     *
     * @param floor a number that its own is to be greater than
     */
    CompletableFuture<Entered> enterAsync(String id, String topic, String floor) {
        return run(ENTER, id, TopicText.escape(topic), floor.getBytes(UTF_8))
                .thenApply(reply -> new Entered(text(reply.get(1)), topics(reply, 2)));
    }

    CompletableFuture<Settlement> settleAsync(String id, String topic, String number) {
        return run(SETTLE, id, TopicText.escape(topic), number.getBytes(UTF_8), millis(grace), number(MOST_OTHERS))
                .thenApply(reply -> switch (text(reply.get(0))) {
                    case "LATER" -> new Settlement(End.LATER, List.of());
                    case "EARLIER" -> new Settlement(End.AGAIN, topics(reply, 1));
                    default -> new Settlement(End.SETTLED, List.of());
                });
    }

    CompletableFuture<Optional<IdEntry>> whereAsync(String id) {
        return run(WHERE, id)
                .thenApply(reply -> reply.size() < 3
                        ? Optional.empty()
                        : Optional.of(new IdEntry(text(reply.get(1)), topics(reply, 2))));
    }

    /** Removes an entry whose id was found live nowhere, if that is certain to stay so. */
    CompletableFuture<Void> leaveAsync(String id, String number, Duration minAge) {
        return run(LEAVE, id, number.getBytes(UTF_8), millis(grace), millis(minAge))
                .thenApply(reply -> null);
    }

    CompletableFuture<Void> meetAsync(String id, String topic) {
        return run(MEET, id, TopicText.escape(topic)).thenApply(reply -> null);
    }

    CompletableFuture<Page> turnAsync(int bucket, String cursor, int count, Duration between) {
        return scripts.runAsync(
                        TURN,
                        1,
                        keySpace.ids(bucket),
                        new byte[0],
                        cursor.getBytes(UTF_8),
                        number(count),
                        millis(grace),
                        millis(between))
                .thenApply(reply -> {
                    List<Found> found = new ArrayList<>(reply.size());
                    for (Object part : reply.subList(1, reply.size())) {
                        List<?> entry = (List<?>) part;
                        found.add(new Found(text(entry.get(0)), new IdEntry(text(entry.get(1)), topics(entry, 2))));
                    }
                    return new Page(text(reply.get(0)), found);
                });
    }

    /** How long a push that stopped midway is reckoned with. */
    Duration grace() {
        return grace;
    }

    private CompletableFuture<List<Object>> run(LuaScript script, String id, byte[]... arguments) {
        byte[][] all = new byte[2 + arguments.length][];
        all[0] = keySpace.ids(keySpace.idBucketOf(id));
        all[1] = id.getBytes(UTF_8);
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        return scripts.runAsync(script, 1, all).thenApply(reply -> {
            if (!reply.isEmpty()
                    && reply.get(0) instanceof byte[] status
                    && text(status).equals("UNREADABLE")) {
                throw new TopicConflictException("The index holds of id " + id + ": " + text(reply.get(1))
                        + ", which this version cannot read. Nothing was written. Update this process.");
            }
            return reply;
        });
    }

    private static LuaScript script(String name) {
        return LuaScript.beside(IdIndex.class, name);
    }

    private static byte[] millis(Duration time) {
        return number(time.toMillis());
    }

    private static byte[] number(long number) {
        return Long.toString(number).getBytes(UTF_8);
    }

    private static String text(@Nullable Object part) {
        return part instanceof byte[] bytes ? new String(bytes, UTF_8) : String.valueOf(part);
    }

    private static List<String> topics(List<?> reply, int from) {
        return reply.subList(from, reply.size()).stream()
                .map(part -> TopicText.unescape((byte[]) part))
                .toList();
    }
}
