package io.delayqueue.store;

/**
 * The result of a cancel with a version, or of a read of a version.
 *
 * @param outcome outcome of the call
 * @param version version of the live message; {@link #NO_VERSION} if the message has none or is not live
 */
public record VersionedCancel(Outcome outcome, long version) {

    /** Less than any version. */
    public static final long NO_VERSION = -1;

    /** The result if no message with the id is live. */
    public static final VersionedCancel NOT_FOUND = new VersionedCancel(Outcome.NOT_FOUND, NO_VERSION);

    /** The outcome of the call. */
    public enum Outcome {
        /** No message with the id is live. */
        NOT_FOUND,
        /** The message is live and unchanged: it has a greater version, or the call only read the version. */
        LIVE,
        /** The message is live and unchanged, because it was not claimed since it was sent. */
        UNCLAIMED,
        /** The message was cancelled. */
        CANCELLED
    }
}
