package io.delayqueue.listener;

/**
 * Names of the standard headers, which a delivery has in addition to the headers of its send. They are not
 * stored, and they hide a stored header of the same name.
 *
 * <pre>{@code
 * @Header(DelayHeaders.ATTEMPT) int attempt
 * }</pre>
 */
public final class DelayHeaders {

    /** The topic, a {@code String}. */
    public static final String TOPIC = "delayqueue_topic";

    /** The message's id, a {@code String}. */
    public static final String ID = "delayqueue_id";

    /** The message's key, a {@code String}. A message without a key does not have this header. */
    public static final String KEY = "delayqueue_key";

    /** The number of the attempt, an {@code Integer} from 1. */
    public static final String ATTEMPT = "delayqueue_attempt";

    /** The due time by Redis' clock, an {@code Instant}. */
    public static final String DUE = "delayqueue_due";

    /** The time of the send by Redis' clock, an {@code Instant}. */
    public static final String SENT = "delayqueue_sent";

    /**
     * The slot of an occurrence of a schedule, an {@code Instant}: when it was due unless it was rescheduled. Any other
     * message does not have this header.
     */
    public static final String SLOT = "delayqueue_slot";

    private DelayHeaders() {}
}
