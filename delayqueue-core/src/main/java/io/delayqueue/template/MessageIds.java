package io.delayqueue.template;

import io.delayqueue.Internal;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * Generates message ids and nonces. Thread-safe.
 *
 * <p>An id has 22 letters and digits: 8 of the time in milliseconds and 14 random ones, 83 bits, all in base 62. It carries
 * as much as a ULID in 26 characters; Redis stores each id twice. Ids sort by time. Within this process each id is
 * greater than the previous one, even within a millisecond or if the clock goes backwards.
 */
@Internal
public final class MessageIds {

    private static final char[] DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".toCharArray();
    /** Number of values of seven digits. */
    private static final long PART = 3_521_614_606_208L;

    private static final int NONCE_LENGTH = 8;
    private static final int NONCE_RADIX = 36;

    private final InstantSource clock;
    private final RandomGenerator random;
    private final Object lock = new Object();
    private long millis = -1;
    private long high;
    private long low;

    /**
     * Creates a generator.
     *
     * @param clock for the first 8 digits of ids
     * @param random for the other digits, and for nonces
     */
    public MessageIds(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    /** Returns a new id. */
    public String next() {
        synchronized (lock) {
            advance(clock.millis());
            char[] text = new char[22];
            write(text, 0, 8, millis);
            write(text, 8, 15, high);
            write(text, 15, 22, low);
            return new String(text);
        }
    }

    private void advance(long now) {
        if (now <= millis) {
            low = (low + 1) % PART;
            if (low != 0) {
                return;
            }
            high = (high + 1) % PART;
            if (high != 0) {
                return;
            }
        }
        // the random part has overflowed, or the time has advanced
        millis = Math.max(millis + 1, now);
        high = Math.floorMod(random.nextLong(), PART);
        low = Math.floorMod(random.nextLong(), PART);
    }

    private static void write(char[] text, int from, int to, long value) {
        long rest = value;
        for (int i = to - 1; i >= from; i--) {
            text[i] = DIGITS[(int) (rest % 62)];
            rest /= 62;
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
