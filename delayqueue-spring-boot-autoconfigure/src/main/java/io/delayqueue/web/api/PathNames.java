package io.delayqueue.web.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.web.api.json.InvalidBodyException;
import io.delayqueue.web.api.json.JsonText;
import java.util.Base64;
import java.util.regex.Pattern;
import org.springframework.web.util.UriUtils;

/**
 * Names of topics, messages, letters and leases as segments of a path. One that can't stand there, or that servers and
 * firewalls don't let through, is written as a tilde and the Base64 (the kind for URLs, without padding) of its UTF-8.
 */
final class PathNames {

    private static final char ESCAPE = '~';
    private static final Pattern UNSAFE =
            Pattern.compile("~.*|\\.{1,2}|.*[/\\\\;%\\p{Cntrl}\u2028\u2029].*", Pattern.DOTALL);

    private PathNames() {}

    /** The segment for a name. */
    static String encode(String name) {
        return UNSAFE.matcher(name).matches()
                ? ESCAPE + Base64.getUrlEncoder().withoutPadding().encodeToString(name.getBytes(UTF_8))
                : UriUtils.encodePathSegment(name, UTF_8);
    }

    /**
     * The name in a segment.
     *
     * @param segment without percent signs, which the server has decoded
     * @throws InvalidBodyException if it is none
     */
    static String decode(String segment) {
        if (segment.isEmpty() || segment.charAt(0) != ESCAPE) {
            return segment;
        }
        try {
            String name = JsonText.textOf(Base64.getUrlDecoder().decode(segment.substring(1)));
            if (name != null) {
                return name;
            }
        } catch (IllegalArgumentException e) {
            throw noName(segment);
        }
        throw noName(segment);
    }

    private static InvalidBodyException noName(String segment) {
        return new InvalidBodyException("In the path, '" + segment
                + "' begins with a tilde, but what follows is not Base64 (the kind for URLs) of a text in UTF-8.");
    }
}
