package io.delayqueue.store;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.redis.RedisCallException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a poll.
 *
 * @param nowMicros time of Redis' clock, µs since 1970
 * @param nextDueMillis when the first message may be claimed, ms since 1970: its due time or, in a topic that is held back by
 *     its rate or a hold, when that ends; {@link #NEVER} if there is none, or each place is taken
 * @param nextLeaseEndMillis first end of a lease, ms since 1970, or {@link #NEVER}
 * @param claims claimed messages: the suspect, if any, then the others, ordered by due time
 * @param rejected rejected settlements: the message was not leased with the token
 * @param reclaimed ids of messages whose lease ended and which are scheduled again
 * @param deadLettered messages that became dead letters
 * @param suspectsLeft whether messages that may be claimed wait to be handled in isolation
 * @param limited whether the topic has limits, is held or is fair, so that messages are claimed for free handlers only
 * @param unconfirmed why the durability of the settlements is not confirmed; null if it is, or none was asked for
 */
public record PollReply(
        long nowMicros,
        long nextDueMillis,
        long nextLeaseEndMillis,
        List<Claim> claims,
        List<Settlement> rejected,
        List<String> reclaimed,
        List<DeadLettered> deadLettered,
        boolean suspectsLeft,
        boolean limited,
        @Nullable RedisCallException unconfirmed) {

    /** A time that is never reached. */
    public static final long NEVER = 9007199254740991L;

    /** Time from the reply until the first message is due; zero if it is due already. */
    public Duration untilNextDue() {
        return until(nextDueMillis);
    }

    /** Time from the reply until the first lease ends; zero if it has ended. */
    public Duration untilNextLeaseEnd() {
        return until(nextLeaseEndMillis);
    }

    private Duration until(long millis) {
        if (millis >= NEVER) {
            return Duration.ofDays(365);
        }
        return Duration.ofNanos(Math.max(0, millis * 1000 - nowMicros) * 1000);
    }

    /** A message that became a dead letter in this poll. */
    public record DeadLettered(String id, DeadLetterCause cause) {}
}
