package io.delayqueue.store.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.redis.Await;
import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptCall;
import io.delayqueue.redis.ScriptRunner;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;

/** Reserves idempotency keys in Redis. Each key is a Redis key with a time to live. Thread-safe. */
public final class IdempotencyKeys {

    /** Time for which a key is reserved. */
    public static final Duration RESERVED = Duration.ofHours(24);

    /** Time for which the outcomes of sends are remembered. The key is reserved first, and must expire first. */
    public static final Duration REMEMBERED = RESERVED.plusHours(1);

    private static final LuaScript RESERVE = LuaScript.beside(IdempotencyKeys.class, "reserve");
    private static final int NONCE_LENGTH = 24;
    private static final int NONCE_RADIX = 36;

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final RandomGenerator random;

    /**
     * Creates the keys of one namespace.
     *
     * @param random generates nonces
     */
    public IdempotencyKeys(ScriptRunner scripts, KeySpace keySpace, RandomGenerator random) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.random = random;
    }

    /**
     * Reserves a key for a request. A repeat of the request gets the reservation of the first request. One round trip,
     * which may be repeated.
     *
     * @param topic scope within which the key is unique: the topic, with the client as prefix if there are several
     *     clients
     * @param key any text
     * @param fingerprint fingerprint of the request
     * @param ids generated ids for messages without an id, letters and digits; used if the key is not reserved yet
     * @throws KeyReusedException if the key is reserved for a request with another fingerprint
     * @throws io.delayqueue.redis.RedisCallException if the script has no reply
     */
    public Reservation reserve(String topic, String key, String fingerprint, List<String> ids) {
        String nonce = nonce();
        String wanted = fingerprint + '\n' + nonce + '\n' + String.join(" ", ids);
        List<Object> reply =
                Await.call(() -> scripts.run(new ScriptCall(RESERVE, keySpace.idempotency(digest(topic, key)))
                        .add(wanted)
                        .add(RESERVED.toMillis())));
        String[] reserved = new String((byte[]) reply.get(0), UTF_8).split("\n", -1);
        if (!reserved[0].equals(fingerprint)) {
            throw new KeyReusedException(key);
        }
        return new Reservation(
                reserved[1],
                reserved[2].isEmpty() ? List.of() : List.of(reserved[2].split(" ")),
                !reserved[1].equals(nonce));
    }

    private String nonce() {
        // starts with 'i', so that it never has the form of a version: n and 16 digits
        StringBuilder nonce = new StringBuilder(NONCE_LENGTH).append('i');
        while (nonce.length() < NONCE_LENGTH) {
            nonce.append(Character.forDigit(random.nextInt(NONCE_RADIX), NONCE_RADIX));
        }
        return nonce.toString();
    }

    /** The length separates topic and key, because clients choose both. */
    private static String digest(String topic, String key) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest((topic.length() + ":" + topic + key).getBytes(UTF_8));
            return HexFormat.of().formatHex(digest, 0, 20);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
