package io.delayqueue.web.api.request;

import io.delayqueue.message.DurationText;
import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request. Each record validates its components in its constructor, which throws
 * {@link InvalidRequestException} with the name of the invalid field.
 */
public sealed interface ApiRequest
        permits DeadLetterRequest,
                DueRequest,
                EmptyRequest,
                ExtendRequest,
                JobStartRequest,
                PostponeRequest,
                ReceiveRequest,
                RetryRequest,
                SendAllRequest,
                SendRequest {

    /** Maximum duration of a field without a specific bound. */
    Duration MAX_DURATION = Duration.ofDays(365_250);

    /** Minimum lease. */
    Duration MIN_LEASE = Duration.ofSeconds(1);

    /** Maximum lease. */
    Duration MAX_LEASE = Duration.ofDays(1);

    /** Checks the range of an optional duration. */
    static void checkRange(String field, @Nullable Duration value, Duration min, Duration max) {
        if (value != null && (value.compareTo(min) < 0 || value.compareTo(max) > 0)) {
            throw InvalidRequestException.ofField(
                    field,
                    "must be from " + DurationText.of(min) + " to " + DurationText.of(max) + ", but was "
                            + DurationText.of(value) + ".");
        }
    }

    /** Checks that an optional number is positive. */
    static void checkPositive(String field, @Nullable Integer value) {
        if (value != null && value < 1) {
            throw InvalidRequestException.ofField(field, "must be 1 or more, but was " + value + ".");
        }
    }

    /** Checks that at most one of the two due times is given. */
    static void checkDue(@Nullable Object delay, @Nullable Object dueAt) {
        if (delay != null && dueAt != null) {
            throw InvalidRequestException.ofField("dueAt", "must not be combined with 'delay'. Set one of the two.");
        }
    }
}
