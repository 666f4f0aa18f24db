package io.delayqueue.web.api;

import io.delayqueue.management.guard.Client;
import io.delayqueue.web.api.json.Formats;
import io.delayqueue.web.guard.RequestFacts;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The idempotency key of a request.
 *
 * @param key null if the request has none
 * @param fingerprint hash of the request's body; empty without a key
 * @param client identifies the client, as returned by {@link Client#identity}
 */
public record IdempotencyKey(@Nullable String key, String fingerprint, String client) {

    static final String HEADER = "Idempotency-Key";
    static final String FINGERPRINT = IdempotencyKey.class.getName() + ".fingerprint";

    /** A quoted string, as in the IETF draft of the header, or the same without quotation marks. */
    private static final Pattern SYNTAX = Pattern.compile("\"([ !#-\\[\\]-~]{1,255})\"|([!#-+\\--\\[\\]-~]{1,255})");

    /**
     * Reads the header. The client must have been authorized and the body read before, since the key contains its
     * fingerprint.
     */
    static IdempotencyKey read(HttpServletRequest request) {
        String client = Objects.requireNonNull(RequestFacts.client(request)).identity();
        List<String> given = Collections.list(request.getHeaders(HEADER));
        if (given.isEmpty()) {
            return new IdempotencyKey(null, "", client);
        }
        Matcher matcher = SYNTAX.matcher(given.get(0).strip());
        if (given.size() > 1 || !matcher.matches()) {
            throw ProblemType.INVALID_REQUEST.exception("The header " + HEADER
                    + " must be one string of 1 to 255 visible ASCII characters without quotation"
                    + " marks and backslashes, in quotation marks if it contains a space or a comma, such as"
                    + " \"8e03978e-40d5-43e8-bc93-6894a57f9324\".");
        }
        String key = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
        String fingerprint = (String) Objects.requireNonNull(request.getAttribute(FINGERPRINT));
        return new IdempotencyKey(key, fingerprint, client);
    }

    /** Returns this key for a request whose effect depends on a name in its path, too. */
    IdempotencyKey with(String name) {
        return new IdempotencyKey(key, fingerprint + Formats.base64Url(name), client);
    }

    /** Returns the scope of the key. Equal keys of different clients or topics do not collide. */
    String scope(String topic) {
        return client + topic; // all client hashes have the same length, so that the concatenation is unambiguous
    }
}
