package io.delayqueue.store;

import io.delayqueue.message.CancelOutcome;

/**
 * The result of a cancel with a version, or of a read of a version.
 *
 * @param outcome outcome of the cancel; not found also for a message that is kept
 * @param live whether the message is live and was kept
 * @param version the greater version of the message and its successor, or, if its successor was to take over, its own
 *     version; {@link #NO_VERSION} if there is none
 */
public record VersionedCancel(CancelOutcome outcome, boolean live, long version) {

    /** Less than any version. */
    public static final long NO_VERSION = -1;

    /** The result if no message with the id is live. */
    public static final VersionedCancel NOT_FOUND = new VersionedCancel(CancelOutcome.NOT_FOUND, false, NO_VERSION);
}
