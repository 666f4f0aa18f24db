package io.delayqueue.message;

import io.delayqueue.Internal;
import java.util.Locale;
import java.util.regex.Pattern;

/** The text of versions, by which scripts compare them. */
@Internal
public final class Versions {

    private static final Pattern NONCE = Pattern.compile("n\\d{16}");

    private Versions() {}

    /**
     * Formats a version with sixteen digits, so that the text order of versions is their numeric order.
     *
     * @throws IllegalArgumentException if the version is not from 0 to {@link DelayMessage#MAX_VERSION}
     */
    public static String digits(long version) {
        InvalidOptionException.requireRange("version", version, 0L, DelayMessage.MAX_VERSION);
        return String.format(Locale.ROOT, "%016d", version);
    }

    /** The nonce of a message with a version. */
    static String nonce(long version) {
        return "n" + digits(version);
    }

    /** Whether a nonce is a version. */
    public static boolean isVersion(String nonce) {
        return NONCE.matcher(nonce).matches();
    }
}
