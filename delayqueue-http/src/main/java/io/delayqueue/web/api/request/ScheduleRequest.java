package io.delayqueue.web.api.request;

import io.delayqueue.management.JsonText;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Schedule;
import io.delayqueue.web.api.json.InvalidRequestException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stores a schedule, with the payload of its messages in one of three forms. Each form has at most
 * delayqueue.limits.max-payload-size bytes when stored.
 *
 * @param every period, counted from the first request; 1 s to 10 years of 8,766 h, in whole milliseconds
 * @param cron instead of every: six fields or a macro such as @daily, at most 1,000 characters; requires zone
 * @param zone time zone of the cron expression, such as Europe/Paris
 * @param spread the longest time by which messages are due later, so that those of many schedules are not due at once; 0 to
 *     1 d, in whole milliseconds, less than every; by default 0
 * @param key 1 to 256 bytes of UTF-8; required by an ordered topic, whose messages of one key are handled one at a time;
 *     optional in a fair topic, whose keys share the starts of deliveries equally; rejected by any other
 * @param payload any JSON value except null, stored as it is written
 * @param payloadText instead of payload: a text, stored in UTF-8
 * @param payloadBase64 instead of payload: bytes in Base64, stored decoded
 * @param headers names, which must not be blank, and values; together at most delayqueue.limits.max-headers-size bytes
 * @param maxAttempts maximum number of deliveries of a message, overrides the listener's setting; 1 or more, written without
 *     a fraction or exponent
 * @param lease duration of the lease of each delivery, overrides the setting of the listener or receiver; 1 s to 1 d
 * @param expireAfter time after the due time until which a message is delivered, 0 to 1,000 years
 */
@SuppressWarnings("ArrayRecordComponent") // passed to the template without a copy
public record ScheduleRequest(
        @Nullable Duration every,
        @Nullable String cron,
        @Nullable String zone,
        @Nullable Duration spread,
        @Nullable String key,
        @Nullable JsonText payload,
        @Nullable String payloadText,
        byte @Nullable [] payloadBase64,
        Map<String, String> headers,
        @Nullable Integer maxAttempts,
        @Nullable Duration lease,
        @Nullable Duration expireAfter)
        implements MessageRequest {

    /** Checks the fields, except for the timing. */
    public ScheduleRequest {
        if (every == null && cron == null) {
            throw InvalidRequestException.ofField("every", "or 'cron' is required. Set one of the two.");
        }
        if (every != null && cron != null) {
            throw InvalidRequestException.ofField("cron", "must not be combined with 'every'. Set one of the two.");
        }
        if (cron != null && zone == null) {
            throw InvalidRequestException.ofField(
                    "zone", "is required with 'cron'. Set a time zone such as \"Europe/Paris\".");
        }
        if (cron == null && zone != null) {
            throw InvalidRequestException.ofField("zone", "must not be combined with 'every'. Remove it.");
        }
        headers = MessageRequest.copyOf(headers);
        payload = MessageRequest.checkPayload(payload, payloadText, payloadBase64);
        MessageRequest.checkLimits(maxAttempts, lease, expireAfter);
    }

    /**
     * Returns the schedule.
     *
     * @param body the payload as it is stored
     * @throws InvalidRequestException if the timing is invalid
     * @throws IllegalArgumentException if another field, the topic or the id is invalid
     */
    public Schedule toSchedule(String topic, String id, byte[] body) {
        Schedule schedule = timed(Schedule.of(topic, id)).payload(body).headers(headers);
        if (key != null) {
            schedule = schedule.key(key);
        }
        if (maxAttempts != null) {
            schedule = schedule.maxAttempts(maxAttempts);
        }
        if (lease != null) {
            schedule = schedule.lease(lease);
        }
        return expireAfter == null ? schedule : schedule.expireAfter(expireAfter);
    }

    private Schedule timed(Schedule schedule) {
        try {
            Schedule timed = every == null
                    ? schedule.cron(Objects.requireNonNull(cron), ZoneId.of(Objects.requireNonNull(zone)))
                    : schedule.every(every);
            return spread == null ? timed : timed.spread(spread);
        } catch (DateTimeException e) {
            throw InvalidRequestException.ofField(
                    "zone",
                    "must be a time zone such as \"Europe/Paris\", but was " + Printable.of(String.valueOf(zone))
                            + ".");
        } catch (InvalidOptionException e) {
            String field = e.option().equals("period") ? "every" : e.option();
            throw InvalidRequestException.ofField(field, e.problem() + ".");
        }
    }
}
