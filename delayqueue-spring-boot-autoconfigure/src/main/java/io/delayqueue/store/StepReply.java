package io.delayqueue.store;

import io.delayqueue.message.DeathCause;
import java.time.Duration;
import java.util.List;

/**
 * What a step did.
 *
 * @param nowMicros Redis' clock, µs since 1970
 * @param nextDueMillis the schedule's first due time, ms since 1970, or {@link #NEVER}
 * @param nextLeaseEndMillis the first lease end, ms since 1970, or {@link #NEVER}
 * @param claims what was claimed, in due order
 * @param gone settles that changed nothing, since the message was not live under the token
 * @param lost renewals that changed nothing for the same reason
 * @param reclaimed ids that were taken back
 * @param deaths messages that went to the dead letters
 */
public record StepReply(
        long nowMicros,
        long nextDueMillis,
        long nextLeaseEndMillis,
        List<Claim> claims,
        List<Settle> gone,
        List<Renewal> lost,
        List<String> reclaimed,
        List<Death> deaths) {

    /** A time that doesn't come. */
    public static final long NEVER = 9007199254740991L;

    /** How long until something is due, by the clock of the reply; zero when it is. */
    public Duration untilNextDue() {
        return until(nextDueMillis);
    }

    /** How long until a lease ends, by the clock of the reply; zero when it did. */
    public Duration untilNextLeaseEnd() {
        return until(nextLeaseEndMillis);
    }

    private Duration until(long millis) {
        if (millis >= NEVER) {
            return Duration.ofDays(365);
        }
        return Duration.ofNanos(Math.max(0, millis * 1000 - nowMicros) * 1000);
    }

    /** A message that went to the dead letters in this step. */
    public record Death(String id, DeathCause cause) {}
}
