package io.delayqueue.web.api;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * By what a client marks the repeats of a request.
 *
 * @param key null if there is none
 * @param fingerprint of the request's body
 */
public record IdempotencyKey(@Nullable String key, String fingerprint) {

    static final String HEADER = "Idempotency-Key";
    static final String FINGERPRINT = IdempotencyKey.class.getName() + ".fingerprint";

    /** A string as the draft has it, in quotation marks, or the same without them. */
    private static final Pattern SYNTAX = Pattern.compile("\"([ !#-\\[\\]-~]{1,255})\"|([!#-+\\--\\[\\]-~]{1,255})");

    /** Behind the body, of which the fingerprint is. */
    static IdempotencyKey read(HttpServletRequest request) {
        String fingerprint = (String) Objects.requireNonNull(request.getAttribute(FINGERPRINT));
        List<String> given = Collections.list(request.getHeaders(HEADER));
        if (given.isEmpty()) {
            return new IdempotencyKey(null, fingerprint);
        }
        Matcher matcher = SYNTAX.matcher(given.get(0).strip());
        if (given.size() > 1 || !matcher.matches()) {
            throw ProblemType.INVALID_REQUEST.exception(
                    "The header " + HEADER + " is one text of 1 to 255 visible ASCII characters, such as"
                            + " \"8e03978e-40d5-43e8-bc93-6894a57f9324\".");
        }
        return new IdempotencyKey(matcher.group(1) == null ? matcher.group(2) : matcher.group(1), fingerprint);
    }
}
