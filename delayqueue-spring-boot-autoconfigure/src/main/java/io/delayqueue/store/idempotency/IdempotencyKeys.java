package io.delayqueue.store.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.redis.KeySpace;
import io.delayqueue.redis.LuaScript;
import io.delayqueue.redis.ScriptRunner;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;

/** Idempotency keys in Redis, each by itself, and gone with its time. Thread-safe. */
public final class IdempotencyKeys {

    /** For how long a key is reserved. */
    public static final Duration RESERVED = Duration.ofHours(24);

    /** For how long sends are to be remembered: longer than their key is reserved, which comes first. */
    public static final Duration REMEMBERED = RESERVED.plusHours(1);

    private static final LuaScript RESERVE = LuaScript.beside(IdempotencyKeys.class, "reserve");
    private static final int NONCE_LENGTH = 24;
    private static final int NONCE_RADIX = 36;

    private final ScriptRunner scripts;
    private final KeySpace keySpace;
    private final RandomGenerator random;

    /**
     * Over the scripts and names of one namespace.
     *
     * @param random for nonces
     */
    public IdempotencyKeys(ScriptRunner scripts, KeySpace keySpace, RandomGenerator random) {
        this.scripts = scripts;
        this.keySpace = keySpace;
        this.random = random;
    }

    /**
     * Reserves a key for a request; its repeat gets what was reserved at first. One round trip, which may be repeated.
     *
     * @param topic within which the key stands for one request
     * @param key any text
     * @param fingerprint of the request
     * @param ids to go by unless the key is reserved already: letters and digits, for messages that have none
     * @throws KeyReusedException if it is reserved for a request with another fingerprint
     * @throws io.delayqueue.redis.RedisCallException if there is no answer
     */
    public Reservation reserve(String topic, String key, String fingerprint, List<String> ids) {
        String wanted = fingerprint + '\n' + nonce() + '\n' + String.join(" ", ids);
        List<Object> reply = scripts.run(
                RESERVE,
                1,
                keySpace.idempotency(digest(topic, key)),
                wanted.getBytes(UTF_8),
                Long.toString(RESERVED.toMillis()).getBytes(UTF_8));
        String[] reserved = new String((byte[]) reply.get(0), UTF_8).split("\n", -1);
        if (!reserved[0].equals(fingerprint)) {
            throw new KeyReusedException(key);
        }
        return new Reservation(reserved[1], reserved[2].isEmpty() ? List.of() : List.of(reserved[2].split(" ")));
    }

    private String nonce() {
        // never a number, which would say when it was sent
        StringBuilder nonce = new StringBuilder(NONCE_LENGTH).append('i');
        while (nonce.length() < NONCE_LENGTH) {
            nonce.append(Character.forDigit(random.nextInt(NONCE_RADIX), NONCE_RADIX));
        }
        return nonce.toString();
    }

    /** The length keeps topic and key apart; both are of the client's making. */
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
