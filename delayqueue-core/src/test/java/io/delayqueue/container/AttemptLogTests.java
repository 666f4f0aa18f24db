package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Failure;
import io.delayqueue.message.QueueKind;
import io.delayqueue.store.Settlement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Counts and log lines of a listener's attempts; the test moves the clock. */
@ExtendWith(OutputCaptureExtension.class)
class AttemptLogTests {

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1); // the clock may overflow
    private final AttemptLog attempts = new AttemptLog(
            new ListenerSpec(
                    "charge", "payment", QueueKind.MESSAGES, ListenerOptions.DEFAULTS, String.class, all -> null),
            now::get,
            "");

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private void settle(Settlement settlement, @Nullable Throwable failure) {
        settle(attempts, settlement, failure, Map.of());
    }

    private void settle(
            AttemptLog log, Settlement settlement, @Nullable Throwable failure, Map<String, String> headers) {
        log.settled(settlement, 2, now.get() - 5_000_000, failure, () -> headers);
    }

    private AttemptLog byTenant() {
        return new AttemptLog(
                new ListenerSpec(
                        "charge", "payment", QueueKind.MESSAGES, ListenerOptions.DEFAULTS, String.class, all -> null),
                now::get,
                "tenant");
    }

    private void succeed(AttemptLog log, String tenant) {
        settle(log, new Settlement.Acknowledge("m", "token"), null, Map.of("tenant", tenant));
    }

    private void fail(AttemptLog log, String tenant) {
        Failure failure = new Failure("Refused", "refused");
        settle(log, new Settlement.Retry("m", "token", Duration.ZERO, failure), null, Map.of("tenant", tenant));
    }

    @Test
    void attemptsAreCountedByHeader() {
        AttemptLog log = byTenant();
        assertThat(log.byHeader()).isEmpty();
        fail(log, "acme");
        pass(Duration.ofSeconds(30));
        fail(log, "acme");
        succeed(log, "acme");
        succeed(log, "a\nb");
        settle(log, new Settlement.Acknowledge("m", "token"), null, Map.of("other", "acme"));
        settle(log, new Settlement.Release("m", "token"), null, Map.of("tenant", "acme"));
        assertThat(log.byHeader())
                .containsOnly(
                        entry("tenant=acme", Attempts.counted(1, 2, 0)),
                        entry("tenant=a\\nb", Attempts.counted(1, 0, 0)));
        pass(Duration.ofSeconds(30));
        assertThat(log.byHeader().get("tenant=acme")).isEqualTo(Attempts.counted(1, 1, 0));
        pass(Duration.ofSeconds(30));
        assertThat(log.byHeader()).isEmpty();
        assertThat(attempts.byHeader()).isEmpty();
    }

    @Test
    void valuesWithTheMostFailuresAreReported() {
        AttemptLog log = byTenant();
        IntStream.range(0, 190).forEach(tenant -> succeed(log, "t" + tenant));
        for (int failures = 0; failures < 6; failures++) {
            fail(log, "acme");
        }
        assertThat(log.byHeader()).hasSize(21);
        assertThat(log.byHeader().get("tenant=acme")).isEqualTo(Attempts.counted(0, 6, 0));
        assertThat(log.byHeader().get("tenant=(other)")).isEqualTo(Attempts.counted(171, 0, 0));
    }

    @Test
    void valuesAreBounded() {
        AttemptLog log = byTenant();
        IntStream.range(0, 1000).forEach(tenant -> fail(log, "t" + tenant));
        assertThat(log.byHeader()).hasSize(21);
        assertThat(log.byHeader().get("tenant=(other)").failed()).isEqualTo(980);
        pass(Duration.ofMinutes(2));
        fail(log, "x".repeat(63) + "😀");
        assertThat(log.byHeader()).containsOnlyKeys("tenant=" + "x".repeat(63));
    }

    @Test
    void usualTimeIsKnownWhenNoAttemptHasEndedForLong() {
        assertThat(attempts.usual()).isZero();
        succeed();
        pass(Duration.ofHours(1));
        assertThat(attempts.lastMinute()).isEqualTo(Attempts.NONE);
        assertThat(attempts.usual()).isEqualTo(Duration.ofMillis(5));
    }

    private void succeed() {
        settle(new Settlement.Acknowledge("m", "token"), null);
    }

    private void retry(Throwable failure) {
        settle(new Settlement.Retry("m", "token", Duration.ZERO, Failure.of(failure)), failure);
    }

    @Test
    void firstFailureSaysWhenTheNextAttemptFollows(CapturedOutput output) {
        IllegalStateException failure = new IllegalStateException("refused");
        settle(new Settlement.Retry("m", "token", Duration.ofSeconds(90), Failure.of(failure)), failure);
        assertThat(output).contains("attempt 2 at m failed; the next one follows in 1 min 30 s. Further failures");
    }

    /** The decision that a message is dead-lettered is logged with the same stack trace. */
    @Test
    void failureOfADeadLetterIsNotLoggedTwice(CapturedOutput output) {
        IllegalStateException failure = new IllegalStateException("refused");
        settle(new Settlement.ToDeadLetters("m", "token", DeadLetterCause.UNREADABLE, Failure.of(failure)), failure);
        assertThat(output).doesNotContain("refused");
        retry(failure);
        assertThat(output).contains("refused");
    }

    @Test
    void attemptsOfTheLastMinuteAreCountedByOutcome() {
        assertThat(attempts.lastMinute()).isEqualTo(Attempts.NONE);
        succeed();
        pass(Duration.ofSeconds(30));
        succeed();
        retry(new IllegalStateException("connection refused"));
        settle(new Settlement.Retry("m", "token", Duration.ZERO, new Failure("retry", "requested")), null);
        settle(
                new Settlement.ToDeadLetters(
                        "m", "token", DeadLetterCause.ATTEMPTS_SPENT, new Failure("Spent", "no more")),
                null);
        settle(new Settlement.Release("m", "token"), null);
        settle(new Settlement.Postpone("m", "token", Duration.ZERO, 1), null);
        pass(Duration.ofSeconds(1));

        assertThat(attempts.lastMinute())
                .isEqualTo(new Attempts(
                        2,
                        2,
                        1,
                        Duration.ofMillis(5),
                        "IllegalStateException: connection refused",
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1)));
        assertThat(attempts.outcomes())
                .as("without those whose handler requested the settlement")
                .isEqualTo(new AttemptLog.Outcomes(1, 2));
        pass(Duration.ofSeconds(30));
        assertThat(attempts.lastMinute().succeeded()).isEqualTo(1);
        pass(Duration.ofSeconds(30));
        assertThat(attempts.lastMinute()).isEqualTo(Attempts.NONE);
        assertThat(attempts.outcomes()).isEqualTo(new AttemptLog.Outcomes(0, 0));
    }

    @Test
    void mostFrequentFailureIsReported() {
        retry(new IllegalArgumentException("rare"));
        pass(Duration.ofSeconds(2));
        retry(new IllegalStateException("first"));
        retry(new IllegalStateException("last"));
        pass(Duration.ofSeconds(3));
        assertThat(attempts.lastMinute().failure()).isEqualTo("IllegalStateException: last");
        assertThat(attempts.lastMinute().failing()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void failuresAreLoggedOnceAMinuteForEachClass(CapturedOutput output) {
        for (int second = 0; second < 150; second++) {
            retry(new IllegalStateException("connection refused"));
            if (second == 10) {
                retry(new IllegalArgumentException("other"));
            }
            pass(Duration.ofSeconds(1));
        }
        assertThat(output.toString().lines().filter(line -> line.contains("In listener charge of topic payment")))
                .satisfiesExactly(
                        line -> assertThat(line).contains("attempt 2 at m failed"),
                        line -> assertThat(line).contains("attempt 2 at m failed"),
                        line -> assertThat(line)
                                .endsWith("failures with java.lang.IllegalStateException within 60 s: 61."
                                        + " The last one was attempt 2 at m"),
                        line -> assertThat(line).contains("within 60 s: 60; within 120 s: 121."));
    }

    @Test
    void endOfFailuresIsLogged(CapturedOutput output) {
        retry(new IllegalArgumentException("single"));
        retry(new IllegalStateException("connection refused"));
        pass(Duration.ofSeconds(20));
        retry(new IllegalStateException("connection refused"));
        pass(Duration.ofSeconds(59));
        attempts.lastMinute();
        assertThat(output).doesNotContain("for a minute");
        pass(Duration.ofSeconds(1));
        attempts.lastMinute();
        attempts.lastMinute();
        assertThat(output)
                .containsOnlyOnce("no attempt has failed with java.lang.IllegalStateException for a minute. Failures"
                        + " within 20 s before: 2")
                .doesNotContain("IllegalArgumentException for a minute");
        retry(new IllegalStateException("again"));
        assertThat(attempts.lastMinute().failing()).isZero();
    }

    @Test
    void manyClassesOfFailuresAreCountedTogether(CapturedOutput output) throws Exception {
        Class<?>[] types = {
            IllegalStateException.class, IllegalArgumentException.class, NullPointerException.class,
            ArithmeticException.class, ClassCastException.class, ArrayStoreException.class,
            IndexOutOfBoundsException.class, NegativeArraySizeException.class, UnsupportedOperationException.class,
            SecurityException.class, NumberFormatException.class, StringIndexOutOfBoundsException.class,
            ArrayIndexOutOfBoundsException.class, RuntimeException.class, Exception.class,
            InterruptedException.class, CloneNotSupportedException.class, InstantiationException.class
        };
        for (Class<?> type : types) {
            retry((Throwable) type.getConstructor().newInstance());
        }
        pass(Duration.ofSeconds(61));
        attempts.lastMinute();
        assertThat(output)
                .contains("no attempt has failed with other exceptions for a minute. Failures within 0 s before: 2");
        assertThat(output.toString().lines().filter(line -> line.contains("attempt 2 at")))
                .hasSize(17);
    }
}
