package io.delayqueue.message;

/** Why a message was dead-lettered. */
public enum DeadLetterCause {
    /** The last permitted attempt failed, or the lease of a receiver ended without a settlement. */
    ATTEMPTS_SPENT,
    /** A handler or receiver postponed the message although it was postponed as often as permitted. */
    POSTPONEMENTS_SPENT,
    /**
     * The message was leased in isolation, and its lease ended without a settlement, as often as permitted, for example
     * because its handler killed the process each time.
     */
    CRASHED,
    /** The message was claimed after its expiry. */
    EXPIRED,
    /** A handler or receiver dead-lettered the message. */
    REQUESTED,
    /** The attempt failed with an exception that is never retried. */
    NOT_RETRYABLE,
    /** The payload could not be converted to the handler's type, or failed validation. */
    UNREADABLE,
    /** A newer version wrote the cause. {@link DeadLetter#causeName()} returns its name. */
    UNKNOWN;

    /** Returns the cause of a name; {@link #UNKNOWN} if this version does not define the name. */
    public static DeadLetterCause of(String name) {
        for (DeadLetterCause cause : values()) {
            if (cause.name().equals(name)) {
                return cause;
            }
        }
        return UNKNOWN;
    }
}
