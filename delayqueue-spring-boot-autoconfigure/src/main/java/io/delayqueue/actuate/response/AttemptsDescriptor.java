package io.delayqueue.actuate.response;

import io.delayqueue.listener.ListenerStatus.Attempts;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of the last minute.
 *
 * @param handlingMillis the mean handling time
 * @param failure the most frequent failure: class and text of its last exception
 * @param failingMillis the time since the first failure of this class
 */
public record AttemptsDescriptor(
        long succeeded,
        long retried,
        long dead,
        long handlingMillis,
        @Nullable String failure,
        long failingMillis) {

    /** Creates the descriptor of attempts. */
    public static AttemptsDescriptor of(Attempts attempts) {
        return new AttemptsDescriptor(
                attempts.succeeded(),
                attempts.retried(),
                attempts.dead(),
                attempts.handling().toMillis(),
                attempts.failure(),
                attempts.failing().toMillis());
    }
}
