package io.delayqueue.web.api.request;

import io.delayqueue.management.JsonText;
import io.delayqueue.web.api.json.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A request with the content and the limits of a message. */
public sealed interface MessageRequest extends ApiRequest permits ScheduleRequest, SendRequest {

    /** Any JSON value except null; null if the payload has another form. */
    @Nullable
    JsonText payload();

    /** The payload as a text; null if it has another form. */
    @Nullable
    String payloadText();

    /** The payload as bytes; null if it has another form. */
    byte @Nullable [] payloadBase64();

    /** Names and values. */
    Map<String, String> headers();

    /** Returns the payload as it is stored. */
    default byte[] body() {
        JsonText json = payload();
        if (json != null) {
            return json.text().getBytes(StandardCharsets.UTF_8);
        }
        String text = payloadText();
        return text == null ? Objects.requireNonNull(payloadBase64()) : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Checks that exactly one of the three forms is given, and returns the first one, where JSON null is null. */
    static @Nullable JsonText checkPayload(
            @Nullable JsonText payload, @Nullable String payloadText, byte @Nullable [] payloadBase64) {
        JsonText json = JsonText.NULL.equals(payload) ? null : payload;
        long given = Stream.of(json, payloadText, payloadBase64)
                .filter(Objects::nonNull)
                .count();
        if (given > 1) {
            throw InvalidRequestException.ofField(
                    "payload", "must not be combined with 'payloadText' or 'payloadBase64'. Set one of the three.");
        }
        if (given == 0) {
            throw InvalidRequestException.ofField(
                    "payload",
                    payload != null
                            ? "must not be null. Set another JSON value."
                            : "is required. Set any JSON value, a string in 'payloadText', or bytes in"
                                    + " 'payloadBase64'.");
        }
        return json;
    }

    /** Checks the limits of a message. */
    static void checkLimits(@Nullable Integer maxAttempts, @Nullable Duration lease, @Nullable Duration expireAfter) {
        ApiRequest.checkPositive("maxAttempts", maxAttempts);
        ApiRequest.checkRange("lease", lease, MIN_LEASE, MAX_LEASE);
        ApiRequest.checkRange("expireAfter", expireAfter, Duration.ZERO, MAX_DURATION);
    }

    /** Copies headers in their order. */
    static Map<String, String> copyOf(@Nullable Map<String, String> headers) {
        return headers == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }
}
