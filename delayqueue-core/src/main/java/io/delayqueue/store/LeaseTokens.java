package io.delayqueue.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The tokens of leases. A token consists of the consumer, {@code -}, the number of the poll in 13 digits, and a secret of
 * 128 random bits in 25 digits. All messages that a poll claims have the same token. It must not leave the process: with
 * it, a client could settle all messages of the poll. Thread-safe.
 */
public final class LeaseTokens {

    /** The form of {@link #receipt}. */
    public static final String RECEIPT = "r-[0-9a-f]{40}";

    private static final int RADIX = 36;
    private static final int NUMBER_DIGITS = 13;
    private static final int SECRET_BITS = 128;
    private static final int SECRET_DIGITS = 25;

    private final SecureRandom random = new SecureRandom();

    /** A new token. */
    public String next(String consumer, long sequence) {
        return consumer
                + '-'
                + padded(Long.toString(sequence, RADIX), NUMBER_DIGITS)
                + padded(new BigInteger(SECRET_BITS, random).toString(RADIX), SECRET_DIGITS);
    }

    private static String padded(String digits, int length) {
        return "0".repeat(length - digits.length()) + digits;
    }

    /**
     * What a client outside the process gets instead of the token. The poll script accepts it for this message only, and
     * neither the token nor the receipt of another message can be computed from it.
     */
    public static String receipt(String token, String id) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest((token + ' ' + id).getBytes(UTF_8));
            return "r-" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
