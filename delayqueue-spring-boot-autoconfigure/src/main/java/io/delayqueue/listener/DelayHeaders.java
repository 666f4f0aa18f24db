package io.delayqueue.listener;

/**
 * Names of the headers that every delivery has beside those it was sent with. They are values of the delivery, not
 * stored, and win over a stored header of the same name.
 *
 * <p>{@code @Header(DelayHeaders.ATTEMPT) int attempt}
 */
public final class DelayHeaders {

    /** The topic, a {@code String}. */
    public static final String TOPIC = "delayqueue_topic";

    /** The message's id, a {@code String}. */
    public static final String ID = "delayqueue_id";

    /** Which attempt this is, an {@code Integer} from 1. */
    public static final String ATTEMPT = "delayqueue_attempt";

    /** When it was due by Redis' clock, an {@code Instant}. */
    public static final String DUE = "delayqueue_due";

    /** When it was sent by Redis' clock, an {@code Instant}. */
    public static final String SENT = "delayqueue_sent";

    private DelayHeaders() {}
}
