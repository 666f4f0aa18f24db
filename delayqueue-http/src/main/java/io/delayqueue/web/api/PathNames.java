package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.web.api.json.Formats;
import io.delayqueue.web.api.json.InvalidRequestException;
import java.util.regex.Pattern;
import org.springframework.web.util.UriUtils;

/**
 * Encodes names of topics, messages and dead letters as path segments. A name that is not valid in a path, or
 * that servers and firewalls reject, is encoded as a tilde followed by the unpadded base64url of its UTF-8 bytes.
 */
final class PathNames {

    private static final char ESCAPE = '~';
    private static final Pattern UNSAFE =
            Pattern.compile("~.*|\\.{1,2}|.*[/\\\\;%\\p{Cntrl}\u2028\u2029].*", Pattern.DOTALL);

    private PathNames() {}

    /** Returns the segment of a name. */
    static String encode(String name) {
        return UNSAFE.matcher(name).matches()
                ? ESCAPE + Formats.base64Url(name)
                : UriUtils.encodePathSegment(name, UTF_8);
    }

    /**
     * Returns the name in a segment.
     *
     * @param segment percent-decoded by the server
     * @throws InvalidRequestException if the segment is not a valid name
     */
    static String decode(String segment) {
        if (segment.isEmpty() || segment.charAt(0) != ESCAPE) {
            return segment;
        }
        try {
            return Formats.ofBase64Url(segment.substring(1));
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("The path segment '" + segment
                    + "' begins with a tilde, so the rest must be the base64url of a UTF-8 string, but it is not.");
        }
    }
}
