package io.delayqueue.template;

import io.delayqueue.Internal;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * Generates message ids and nonces. Thread-safe.
 *
 * <p>An id is a ULID in its text form (github.com/ulid/spec): 48 bits of milliseconds and 80 random bits as 26
 * characters of Crockford's base 32. Ids sort by time. Within this process each id is greater than the previous one,
 * even within a millisecond or if the clock goes backwards.
 */
@Internal
public final class MessageIds {

    private static final char[] DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
    private static final int LENGTH = 26;
    private static final int NONCE_LENGTH = 8;
    private static final int NONCE_RADIX = 36;
    private static final long LOW_MASK = (1L << 40) - 1;

    private final InstantSource clock;
    private final RandomGenerator random;
    private final Object lock = new Object();
    private long millis = -1;
    private long high;
    private long low;

    /**
     * Creates a generator.
     *
     * @param clock for the first 48 bits of ids
     * @param random for the other 80 bits, and for nonces
     */
    public MessageIds(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    /** Returns a new id. */
    public String next() {
        synchronized (lock) {
            advance(clock.millis());
            char[] text = new char[LENGTH];
            write(text, 10, millis);
            write(text, 18, high);
            write(text, LENGTH, low);
            return new String(text);
        }
    }

    private void advance(long now) {
        if (now <= millis) {
            low = (low + 1) & LOW_MASK;
            if (low != 0) {
                return;
            }
            high = (high + 1) & LOW_MASK;
            if (high != 0) {
                return;
            }
        }
        // the random part has overflowed, or the time has advanced
        millis = Math.max(millis + 1, now);
        high = random.nextLong() & LOW_MASK;
        low = random.nextLong() & LOW_MASK;
    }

    private static void write(char[] text, int end, long value) {
        int start = end == 10 ? 0 : end - 8;
        long rest = value;
        for (int i = end - 1; i >= start; i--) {
            text[i] = DIGITS[(int) (rest & 31)];
            rest >>>= 5;
        }
    }

    /**
     * Returns a short text that distinguishes sends of one id; two are equal with a probability of one in 2.8 × 10¹².
     */
    String nonce() {
        StringBuilder nonce = new StringBuilder(NONCE_LENGTH);
        for (int i = 0; i < NONCE_LENGTH; i++) {
            nonce.append(Character.forDigit(random.nextInt(NONCE_RADIX), NONCE_RADIX));
        }
        return nonce.toString();
    }
}
