package io.delayqueue.redis;

import io.delayqueue.message.Shard;
import io.delayqueue.message.Shard.Lane;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Every name that the queue uses in Redis. Two namespaces never meet. Thread-safe.
 *
 * <p>All keys of a shard share one hash tag, {@code <topic>:<shard>.<salt>}, in which the topic's braces, colons,
 * percent signs, white space and control characters are written as {@code %XX}. Of the 16,384 slots, shard <i>i</i> of
 * <i>n</i> takes one in the <i>i</i>-th of <i>n</i> equal ranges: the salt is the first whole number that puts it
 * there. So are the tags of the index of ids, {@code ids.<bucket>.<salt>}, which no topic's can be, since they lack a
 * colon.
 */
public final class KeySpace {

    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final int SLOTS = 16384;
    /** How many parts the index of ids has; what is stored depends on it. */
    private static final int ID_BUCKETS = 256;

    private final String namespace;
    private final Map<Shard, ShardKeys> keys = new ConcurrentHashMap<>();
    private final Map<Integer, byte[]> idKeys = new ConcurrentHashMap<>();

    /**
     * For one namespace.
     *
     * @param namespace 1 to 64 letters, digits, dots, dashes or underscores
     */
    public KeySpace(String namespace) {
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw new IllegalArgumentException(
                    "namespace is 1 to 64 letters, digits, dots, dashes or underscores, but is '" + namespace + "'");
        }
        this.namespace = namespace;
    }

    /** The namespace. */
    public String namespace() {
        return namespace;
    }

    /** The keys of a shard's lane. */
    public ShardKeys of(Shard shard) {
        ShardKeys known = keys.get(shard);
        return known != null ? known : keys.computeIfAbsent(shard, this::create);
    }

    /** Forgets a topic's computed names; they are computed anew when asked for. */
    public void forget(String topic) {
        keys.keySet().removeIf(shard -> shard.topic().equals(topic));
    }

    /** The hash of all topics: name → shard count and epoch. */
    public byte[] topics() {
        return bytes(namespace + ":topics");
    }

    /** The ordered set of nodes by their last heartbeat. */
    public byte[] nodes() {
        return bytes(namespace + ":{nodes}:seen");
    }

    /** The hash of nodes and the topics that each consumes. */
    public byte[] nodeTopics() {
        return bytes(namespace + ":{nodes}:topics");
    }

    /** The set of topics that are paused on all nodes. */
    public byte[] pausedTopics() {
        return bytes(namespace + ":{nodes}:paused");
    }

    /**
     * What an idempotency key is reserved for.
     *
     * @param digest of the key, letters and digits
     */
    public byte[] idempotency(String digest) {
        return bytes(namespace + ":idempotency:" + digest);
    }

    /** How many hashes the index of ids is spread over; they are numbered from 0. */
    public int idBuckets() {
        return ID_BUCKETS;
    }

    /** The bucket of the index that an id belongs to. */
    public int idBucketOf(String id) {
        return Shard.indexOf(id, ID_BUCKETS);
    }

    /** The hash of a bucket: id → topics in which it may be live. */
    public byte[] ids(int bucket) {
        return idKeys.computeIfAbsent(
                bucket,
                index -> bytes(namespace + ":{" + inRange("ids." + index + ".", index, ID_BUCKETS) + "}:topics"));
    }

    /** The channel on which signals are published. */
    public String signalChannel() {
        return namespace + ":signals";
    }

    /** The slot of a key: by its hash tag if it has one that is not empty, else by the whole key. */
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
        String signal = shard.lane() == Lane.DEATHS ? tag + ":deaths" : tag;
        return new ShardKeys(base, shard.lane() == Lane.DEATHS ? "deaths." : "", signal);
    }

    private static String tag(Shard shard) {
        return inRange(escape(shard.topic()) + ":" + shard.index() + ".", shard.index(), shard.count());
    }

    /** The prefix, and the salt that puts it into the part of the slots that has this index. */
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
