package io.delayqueue.web.compat.ids;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.message.Printable;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Versions;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import io.delayqueue.store.TopicConflictException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The index of ids: the topics in which an id may be live. Runs the Lua scripts that read and change it. Never blocks.
 * Thread-safe.
 */
public final class IdIndex {

    private static final LuaScript ENTER = LuaScript.beside(IdIndex.class, "enter");
    private static final LuaScript OPERATIONS = LuaScript.beside(IdIndex.class, "operations");
    private static final LuaScript SWEEP = LuaScript.beside(IdIndex.class, "sweep");

    /** Time for which an interrupted push may still store a message. */
    static final Duration GRACE = Duration.ofHours(1);

    /**
     * Time after its start for which a push that is not settled is considered to be in progress. A later send of it yields
     * to later pushes.
     */
    private static final Duration MAX_PUSH = Duration.ofMinutes(1);

    /** Characters of a topic that are stored as {@code %XX}. */
    private static final Pattern ESCAPED = Pattern.compile("[\\x00-\\x20%\\x7f]");

    private static final Pattern ESCAPE = Pattern.compile("%(..)");

    /**
     * Maximum number of other topics in an entry. Clients are expected to push an id to fewer topics within the grace
     * period.
     */
    private static final int MAX_OTHERS = 100;

    /** Number of hashes of the index. Must not change, since stored entries depend on it. */
    static final int BUCKETS = 256;

    private final Map<Integer, byte[]> keys = new ConcurrentHashMap<>();
    /** The batchers by bucket. In a Cluster each bucket has its own, otherwise there is one. */
    private final Map<Integer, IndexBatcher> enters = new ConcurrentHashMap<>();

    private final Map<Integer, IndexBatcher> others = new ConcurrentHashMap<>();
    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final Duration grace;

    /** Creates an index over the scripts and keys of one namespace. */
    public IdIndex(ScriptRunner scripts, KeySpace keySpace) {
        this(scripts, keySpace, GRACE);
    }

    /**
     * Creates an index over the scripts and keys of one namespace.
     *
     * @param grace time for which an interrupted push may still store a message
     */
    IdIndex(ScriptRunner scripts, KeySpace keySpace, Duration grace) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.grace = grace;
    }

    /**
     * A started push.
     *
     * @param version version of the push
     * @param others other topics in which the id may be live
     */
    record Entered(long version, List<String> others) {}

    /** The result of settling a push. */
    enum End {
        /** This push is current, or a later push to the same topic is. */
        SETTLED,
        /** A later push to another topic is current and settled. */
        LATER,
        /** The caller must cancel the messages in {@link Settlement#others} and settle again. */
        AGAIN
    }

    /**
     * The settlement of a push.
     *
     * @param others topics whose messages must be cancelled before the push is settled again
     */
    record Settlement(End end, List<String> others) {}

    /**
     * The topics in which an id may be live.
     *
     * @param version version of the last push
     * @param pushing whether the last push is in progress
     * @param topics at least one, the current topic first
     */
    record Entry(String id, long version, boolean pushing, List<String> topics) {}

    /**
     * A page of old entries.
     *
     * @param cursor cursor of the next page, {@code 0} if there is none
     */
    record Page(String cursor, List<Entry> entries) {}

    /**
     * Starts a push.
     *
     * @param floor version that the version of this push must exceed
     */
    CompletableFuture<Entered> enterAsync(String id, String topic, long floor) {
        return enter(id, topic, floor, "").thenApply(Optional::orElseThrow);
    }

    /**
     * Starts a push unless a push to another topic has started since the caller read the entry.
     *
     * @param read the entry when it was read; null if there was none
     * @return empty if another push has started
     */
    CompletableFuture<Optional<Entered>> enterAsync(String id, String topic, long floor, @Nullable Entry read) {
        return enter(id, topic, floor, read == null ? "-" : Versions.digits(read.version));
    }

    private CompletableFuture<Optional<Entered>> enter(String id, String topic, long floor, String read) {
        return run(enters, ENTER, "enter", id, escaped(topic), floor, read)
                .thenApply(reply -> reply.size() < 2
                        ? Optional.empty()
                        : Optional.of(new Entered(version(reply.get(1)), topics(reply, 2))));
    }

    CompletableFuture<Settlement> settleAsync(String id, String topic, long version) {
        return run(
                        others,
                        OPERATIONS,
                        "settle",
                        id,
                        escaped(topic),
                        Versions.digits(version),
                        grace.toMillis(),
                        MAX_OTHERS)
                .thenApply(reply -> switch (text(reply.get(0))) {
                    case "LATER" -> new Settlement(End.LATER, List.of());
                    case "AGAIN" -> new Settlement(End.AGAIN, topics(reply, 1));
                    default -> new Settlement(End.SETTLED, List.of());
                });
    }

    CompletableFuture<Optional<Entry>> findAsync(String id) {
        return run(others, OPERATIONS, "find", id, Math.min(MAX_PUSH.toMillis(), grace.toMillis()))
                .thenApply(reply -> reply.size() < 3
                        ? Optional.empty()
                        : Optional.of(new Entry(
                                id, version(reply.get(1)), text(reply.get(2)).equals("p"), topics(reply, 3))));
    }

    /**
     * Removes an entry whose id was not live in any topic, unless a push may still store a message.
     *
     * @param version version of the entry when the topics were checked
     * @param minAge minimum age of the entry
     */
    CompletableFuture<Void> removeAsync(String id, long version, Duration minAge) {
        return run(others, OPERATIONS, "remove", id, Versions.digits(version), grace.toMillis(), minAge.toMillis())
                .thenApply(reply -> null);
    }

    /** Adds a topic in which an id is live, if the entry does not have it. */
    CompletableFuture<Void> addAsync(String id, String topic) {
        return settleAsync(id, topic, 0).thenApply(added -> null);
    }

    /**
     * Returns a page of the old entries of a bucket.
     *
     * @param cursor {@code 0} to start a sweep, otherwise the cursor of the previous page
     * @param count approximate size of the page
     * @param interval minimum time between the starts of two sweeps of the bucket, by any process
     */
    CompletableFuture<Page> sweepAsync(int bucket, String cursor, int count, Duration interval) {
        return scripts.run(new ScriptCall(SWEEP, key(bucket))
                        .add("")
                        .add(cursor)
                        .add(count)
                        .add(grace.toMillis())
                        .add(interval.toMillis()))
                .thenApply(reply -> {
                    List<Entry> entries = new ArrayList<>(reply.size());
                    for (Object part : reply.subList(1, reply.size())) {
                        List<?> entry = (List<?>) part;
                        entries.add(new Entry(text(entry.get(0)), version(entry.get(1)), false, topics(entry, 2)));
                    }
                    return new Page(text(reply.get(0)), entries);
                });
    }

    static int bucketOf(String id) {
        return Shard.indexOf(id, BUCKETS);
    }

    /** Returns the key of a bucket, a hash of ids and the topics in which they may be live. */
    byte[] key(int bucket) {
        return keys.computeIfAbsent(bucket, index -> keySpace.part("ids", index, BUCKETS, "topics"));
    }

    /** Returns the time for which an interrupted push may still store a message. */
    Duration grace() {
        return grace;
    }

    private CompletableFuture<List<?>> run(
            Map<Integer, IndexBatcher> batchers, LuaScript script, String operation, String id, Object... arguments) {
        int bucket = bucketOf(id);
        IndexBatcher batcher = batchers.computeIfAbsent(
                scripts.isClustered() ? bucket : 0, absent -> new IndexBatcher(scripts, script));
        return batcher.run(operation, key(bucket), id, arguments).thenApply(reply -> {
            if (!reply.isEmpty()
                    && reply.get(0) instanceof byte[] status
                    && text(status).equals("UNREADABLE")) {
                throw new TopicConflictException("The index entry of id " + Printable.of(id)
                        + " was written by a later version and is unreadable: "
                        + text(reply.get(1)) + ". Nothing was written. Update this process.");
            }
            return reply;
        });
    }

    private static long version(@Nullable Object part) {
        return Long.parseLong(text(part));
    }

    private static String text(@Nullable Object part) {
        return part instanceof byte[] bytes ? new String(bytes, UTF_8) : String.valueOf(part);
    }

    private static List<String> topics(List<?> reply, int from) {
        return reply.subList(from, reply.size()).stream()
                .map(part -> unescaped(text(part)))
                .toList();
    }

    private static String escaped(String topic) {
        return ESCAPED.matcher(topic)
                .replaceAll(found -> String.format("%%%02X", (int) found.group().charAt(0)));
    }

    private static String unescaped(String topic) {
        return ESCAPE.matcher(topic)
                .replaceAll(
                        found -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(found.group(1), 16))));
    }
}
