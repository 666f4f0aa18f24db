package io.delayqueue.web.api.json;

import io.delayqueue.management.JsonText;
import io.delayqueue.message.DurationText;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * Formats of values in strings. Each method throws {@link IllegalArgumentException} if the string does not match.
 */
public final class Formats {

    /**
     * Regular expression of durations: ISO 8601 in days, hours, minutes and seconds, or numbers with units, the largest
     * unit first. Only 0 needs no unit.
     */
    public static final String DURATION = "(?:0"
            + "|(?=[0-9])(?:[0-9]{1,18}d)?(?:[0-9]{1,18}h)?(?:[0-9]{1,18}m)?(?:[0-9]{1,18}s)?"
            + "(?:[0-9]{1,18}ms)?(?:[0-9]{1,18}us)?(?:[0-9]{1,18}ns)?"
            + "|P(?=[0-9T])(?:[0-9]{1,18}D)?(?:T(?=[0-9])(?:[0-9]{1,18}H)?(?:[0-9]{1,18}M)?(?:[0-9]{1,18}(?:\\.[0-9]{1,9})?S)?)?)";

    /** Regular expression of dates (RFC 3339). It does not check the number of days in a month. */
    public static final String DATE = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
            + "T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?"
            + "(?:Z|[+-](?:(?:0[0-9]|1[0-7]):[0-5][0-9]|18:00))";

    private static final Pattern DURATION_PATTERN = Pattern.compile(DURATION);
    private static final Pattern DATE_PATTERN = Pattern.compile(DATE);

    private Formats() {}

    /** Returns the base64url of the UTF-8 of a text, without padding (RFC 4648, section 5). */
    public static String base64Url(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the text that {@link #base64Url} encoded. */
    public static String ofBase64Url(String text) {
        String decoded = JsonText.textOf(Base64.getUrlDecoder().decode(text));
        if (decoded == null) {
            throw new IllegalArgumentException();
        }
        return decoded;
    }

    static Duration duration(String text) {
        try {
            return DurationText.parse(matching(DURATION_PATTERN, text));
        } catch (ArithmeticException | DateTimeException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static Instant date(String text) {
        try {
            return Instant.parse(matching(DATE_PATTERN, text));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static byte[] base64(String text) {
        return Base64.getDecoder().decode(text);
    }

    /** Rejects characters that UTF-8 cannot encode, since encoding would silently replace them. */
    static String text(String text) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw InvalidRequestException.ofField(
                    "", "must not contain half a surrogate pair, which UTF-8 cannot encode.");
        }
        return text;
    }

    private static String matching(Pattern pattern, String text) {
        if (!pattern.matcher(text).matches()) {
            throw new IllegalArgumentException();
        }
        return text;
    }
}
