package io.delayqueue.web.api.request;

import io.delayqueue.message.DurationText;
import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request, or an element of one. Each record validates its components in its constructor, which throws
 * {@link InvalidRequestException} with the name of the invalid field.
 */
public sealed interface ApiRequest
        permits DeadLetterRequest,
                DebounceRequest,
                DueRequest,
                EmptyRequest,
                ExtendRequest,
                HoldRequest,
                JobStartRequest,
                MessageRequest,
                PostponeRequest,
                ReceiveRequest,
                RetryRequest,
                SendAllRequest,
                SettleAllRequest,
                SettleRequest {

    /** Maximum duration of a field without a specific bound. */
    Duration MAX_DURATION = Duration.ofDays(365_250);

    /** Maximum delay of a retry or postponement. */
    Duration MAX_DELAY = Duration.ofDays(3650);

    /** Minimum time for which a topic is held. */
    Duration MIN_HOLD = Duration.ofMillis(1);

    /** Maximum time for which a topic is held. */
    Duration MAX_HOLD = Duration.ofHours(1);

    /** Minimum lease. */
    Duration MIN_LEASE = Duration.ofSeconds(1);

    /** Maximum lease. */
    Duration MAX_LEASE = Duration.ofDays(1);

    /** Copies a list that must have an element. */
    static <T> List<T> nonEmpty(String field, @Nullable List<T> elements) {
        if (elements == null || elements.isEmpty()) {
            throw InvalidRequestException.ofField(
                    field, elements == null ? "is required. Set an array." : "must have at least one element.");
        }
        return List.copyOf(elements);
    }

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
