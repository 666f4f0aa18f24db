package io.delayqueue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Failure;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Settlements of listeners and receivers for requests to retry and postpone. */
class ClaimTests {

    private static final Duration DELAY = Duration.ofSeconds(3);
    private static final Failure FAILURE = new Failure("retry", "requested");

    private static Claim claim(int attempt, int postponements) {
        return new Claim("a", "token", 1, attempt, postponements, 0, false, null, new byte[0]);
    }

    @Test
    void theLastPermittedAttemptIsDeadLettered() {
        assertThat(claim(2, 0).retryOrDeadLetter(DELAY, FAILURE, 3))
                .isEqualTo(new Settlement.Retry("a", "token", DELAY, FAILURE));
        assertThat(claim(3, 0).retryOrDeadLetter(DELAY, FAILURE, 3))
                .isEqualTo(new Settlement.ToDeadLetters("a", "token", DeadLetterCause.ATTEMPTS_SPENT, FAILURE));
    }

    @Test
    void aMessageThatWasPostponedAsOftenAsPermittedIsDeadLettered() {
        Settlement postponed = new Settlement.Postpone("a", "token", DELAY, 0);
        assertThat(claim(1, 1).postpone(DELAY, 2, false)).isEqualTo(postponed);
        assertThat(claim(1, 999).postpone(DELAY, 0, false)).isEqualTo(postponed);
        assertThat(claim(1, 2).postpone(DELAY, 2, false))
                .isInstanceOfSatisfying(
                        Settlement.ToDeadLetters.class,
                        to -> assertThat(to.cause()).isEqualTo(DeadLetterCause.POSTPONEMENTS_SPENT));
    }

    @Test
    void aSettlementOfAClaimLetsRedisReadTheMessageOnlyToMoveIt() {
        assertThat(claim(1, 0).retryOrDeadLetter(DELAY, FAILURE, 3).readsMessage())
                .isFalse();
        assertThat(claim(1, 0).postpone(DELAY, 2, false).readsMessage()).isFalse();
        assertThat(claim(3, 0).retryOrDeadLetter(DELAY, FAILURE, 3).readsMessage())
                .isTrue();
        assertThat(new Settlement.Release("a", "token").readsMessage()).isTrue();
        assertThat(new Settlement.Acknowledge("a", "token").readsMessage()).isFalse();
    }
}
