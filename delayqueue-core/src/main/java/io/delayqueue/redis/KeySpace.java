package io.delayqueue.redis;

import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.QueueKind;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Keys;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * All names that the queue uses in Redis. Names of two namespaces never collide. Thread-safe.
 *
 * <p>All keys of a shard share one hash tag, {@code <topic>:<shard>.<salt>}. The topic's braces, colons, percent signs,
 * white space and control characters are written as {@code %XX}. The 16,384 slots are divided into <i>n</i> equal
 * ranges, and the slot of shard <i>i</i> of <i>n</i> lies in the <i>i</i>-th range: the salt is the smallest integer
 * that achieves this. The tags of the parts of a collection, {@code <collection>.<index>.<salt>}, are spread in the
 * same way. They have no colon, so that they never equal the tag of a shard.
 */
public final class KeySpace {

    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final int SLOTS = 16384;

    private final String namespace;
    private final Map<Shard, ShardKeys> keys = new ConcurrentHashMap<>();
    /** By slot; the search takes about a millisecond. */
    private final Map<Integer, String> probeTags = new ConcurrentHashMap<>();

    /**
     * Creates the names of one namespace.
     *
     * @param namespace 1 to 64 letters, digits, dots, dashes or underscores
     * @throws InvalidOptionException if the namespace has another form
     */
    public KeySpace(String namespace) {
        InvalidOptionException.require(
                NAMESPACE.matcher(namespace).matches(),
                "namespace",
                "must be 1 to 64 letters, digits, dots, dashes or underscores, but was '" + namespace + "'");
        this.namespace = namespace;
    }

    /** The namespace. */
    public String namespace() {
        return namespace;
    }

    /** The keys of a shard's queue. */
    public ShardKeys of(Shard shard) {
        ShardKeys known = keys.get(shard);
        return known != null ? known : keys.computeIfAbsent(shard, this::create);
    }

    /**
     * The name of a shard's queue in signals, like {@link ShardKeys#signal()}, without caching the keys of the shard.
     */
    String signalOf(Shard shard) {
        ShardKeys known = keys.get(shard);
        return known != null ? new String(known.signal(), StandardCharsets.UTF_8) : signal(shard, tag(shard));
    }

    /** The script fragment {@code signals.lua} derives this name, and the channel, from the name of a key. */
    private static String signal(Shard shard, String tag) {
        return shard.kind() == QueueKind.NOTIFICATIONS ? tag + ":notifications" : tag;
    }

    /** Removes the names of a topic from the cache. They are computed again when they are next used. */
    public void forget(String topic) {
        keys.keySet().removeIf(shard -> shard.topic().equals(topic));
    }

    /** The hash of all topics: name → shard count and epoch. */
    public byte[] topics() {
        return bytes(namespace + ":topics");
    }

    /** The sorted set of nodes by their last heartbeat. */
    public byte[] nodes() {
        return bytes(namespace + ":{nodes}:seen");
    }

    /** The hash of nodes and the topics that each consumes. */
    public byte[] nodeTopics() {
        return bytes(namespace + ":{nodes}:topics");
    }

    /** The hash of nodes and their last reports. */
    public byte[] nodeReports() {
        return bytes(namespace + ":{nodes}:reports");
    }

    /** The hash of nodes that left or failed. */
    public byte[] formerNodes() {
        return bytes(namespace + ":{nodes}:former");
    }

    /** The hash of processes and what each sent and received within the last minute. */
    public byte[] throughput() {
        return bytes(namespace + ":{nodes}:throughput");
    }

    /** The hash of pauses. */
    public byte[] pauses() {
        return bytes(namespace + ":{nodes}:pauses");
    }

    /** The hash of the timings that listeners declare for their schedules. */
    public byte[] declarations() {
        return bytes(namespace + ":{nodes}:declarations");
    }

    /** The hash of nodes and the listeners whose stacks are requested. */
    public byte[] stackRequests() {
        return bytes(namespace + ":{nodes}:stacks");
    }

    /** The hash of requested releases: holder of the leases, and time of the request. */
    public byte[] releaseRequests() {
        return bytes(namespace + ":{nodes}:releases");
    }

    /** A key in the slot of the nodes that never exists. */
    public byte[] nodesProbe() {
        return bytes(namespace + ":{nodes}:probe");
    }

    /** A key in the slot of the topics that never exists. */
    public byte[] topicsProbe() {
        return bytes(namespace + ":{" + namespace + ":topics}:probe");
    }

    /** A key in a slot that never exists. */
    public byte[] probe(int slot) {
        return bytes(namespace + ":{" + probeTags.computeIfAbsent(slot, KeySpace::probeTag) + "}:probe");
    }

    private static String probeTag(int slot) {
        for (int salt = 0; ; salt++) {
            String tag = "probe." + salt;
            if (Crc16.of(bytes(tag)) % SLOTS == slot) {
                return tag;
            }
        }
    }

    /** The hash of jobs. */
    public byte[] jobs() {
        return bytes(namespace + ":{nodes}:jobs");
    }

    /**
     * The string with the request for which an idempotency key is reserved.
     *
     * @param digest digest of the idempotency key, letters and digits
     */
    public byte[] idempotency(String digest) {
        return bytes(namespace + ":idempotency:" + digest);
    }

    /**
     * A key of one part of a collection. The parts are spread evenly over the masters of a Cluster. The tag is not
     * cached.
     *
     * @param collection name of the collection: letters, digits and dots
     * @param index index of the part, from 0
     * @param count number of parts
     * @param name name after the hash tag
     */
    public byte[] part(String collection, int index, int count, String name) {
        return bytes(namespace + ":{" + inRange(collection + "." + index + ".", index, count) + "}:" + name);
    }

    /** The channel on which signals are published. */
    public String signalChannel() {
        return namespace + ":signals";
    }

    /** Whether a master serves the slot of the nodes. */
    public boolean servesNodes(ScriptRunner.Master master) {
        return master.serves().test(slot(nodes()));
    }

    /** The slot of a key. It depends on the key's hash tag if the key has a non-empty one, else on the whole key. */
    static int slot(byte[] key) {
        int open = indexOf(key, '{', 0);
        int close = open < 0 ? -1 : indexOf(key, '}', open + 1);
        byte[] hashed = close > open + 1 ? Arrays.copyOfRange(key, open + 1, close) : key;
        return Crc16.of(hashed) % SLOTS;
    }

    private static int indexOf(byte[] key, char wanted, int from) {
        for (int i = from; i < key.length; i++) {
            if (key[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private ShardKeys create(Shard shard) {
        String tag = tag(shard);
        String base = namespace + ":{" + tag + "}:";
        ShardKeys notifications =
                ShardKeys.of(base, "notifications.", signal(shard.notifications(), tag), Keys.NONE, null);
        return shard.kind() == QueueKind.NOTIFICATIONS
                ? notifications
                : ShardKeys.of(base, "", signal(shard, tag), shard.keys(), notifications);
    }

    private static String tag(Shard shard) {
        return inRange(escape(shard.topic()) + ":" + shard.index() + ".", shard.index(), shard.count());
    }

    /** Appends the smallest salt to the prefix that puts the tag into the range of slots with this index. */
    private static String inRange(String prefix, int index, int count) {
        int from = (int) ((long) SLOTS * index / count);
        int to = (int) ((long) SLOTS * (index + 1) / count);
        for (int salt = 0; ; salt++) {
            String tag = prefix + salt;
            int slot = Crc16.of(bytes(tag)) % SLOTS;
            if (slot >= from && slot < to) {
                return tag;
            }
        }
    }

    private static String escape(String topic) {
        StringBuilder escaped = new StringBuilder(topic.length());
        topic.codePoints().forEach(point -> {
            if (point == '%' || point == '{' || point == '}' || point == ':' || unprintable(point)) {
                for (byte b : bytes(Character.toString(point))) {
                    escaped.append('%').append(String.format("%02X", b & 0xff));
                }
            } else {
                escaped.appendCodePoint(point);
            }
        });
        return escaped.toString();
    }

    private static boolean unprintable(int point) {
        return Character.isWhitespace(point) || Character.isSpaceChar(point) || Character.isISOControl(point);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
