package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.listener.DependencyUnavailableException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When a circuit opens and closes, and which attempts count. */
class CircuitTests {

    private static final Throwable FAILURE = new DependencyUnavailableException("the bank");

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger changes = new AtomicInteger();
    private final Circuit circuit = new Circuit("listener l", now::get, changes::incrementAndGet);

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private Duration fail(String id) {
        return circuit.failed(id, now.get(), FAILURE);
    }

    private void halfOpen() {
        Duration delay = circuit.run();
        pass(delay);
        circuit.run();
        assertThat(circuit.isHalfOpen()).isTrue();
    }

    private void close(String id) {
        halfOpen();
        circuit.handled(id, now.get());
        assertThat(circuit.unavailable()).isNull();
    }

    @Test
    void failureOpensTheCircuitUntilAProbeSucceeds() {
        assertThat(circuit.unavailable()).isNull();
        assertThat(fail("a")).isBetween(Duration.ofMillis(800), Duration.ofMillis(1200));
        assertThat(circuit.isOpen()).isTrue();
        assertThat(circuit.isHalfOpen()).isFalse();

        halfOpen();
        assertThat(circuit.isOpen()).isFalse();
        assertThat(circuit.unavailable().failure()).isEqualTo("DependencyUnavailableException: the bank");

        circuit.handled("b", now.get());
        assertThat(circuit.isHalfOpen()).isFalse();
        assertThat(circuit.unavailable()).isNull();
        assertThat(changes).hasValue(3);
    }

    @Test
    void circuitStaysOpenBeforeTheDelayHasPassed() {
        Duration delay = fail("a");
        pass(delay.minusMillis(1));

        assertThat(circuit.run()).isEqualTo(Duration.ofMillis(1));
        assertThat(circuit.isOpen()).isTrue();
    }

    @Test
    void delayGrowsToHalfAMinuteAndStartsAgain() {
        fail("a");
        long before = 1000;
        for (int probe = 1; probe <= 8; probe++) {
            halfOpen();
            Duration delay = fail("probe " + probe);
            long exact = Math.min(30_000, before * 2);
            assertThat(delay.toMillis()).isBetween((long) (exact * 0.8), Math.min(30_000, (long) (exact * 1.2)));
            before = exact;
        }
        assertThat(circuit.unavailable().time()).isGreaterThan(Duration.ofMinutes(1));

        close("b");
        assertThat(fail("c")).isLessThanOrEqualTo(Duration.ofMillis(1200));
    }

    @Test
    void attemptThatStartedBeforeTheLastChangeChangesNothing() {
        long early = now.get();
        pass(Duration.ofMillis(1));
        fail("a");
        assertThat(circuit.failed("b", early, FAILURE)).isNotNull();
        circuit.handled("c", early);
        assertThat(circuit.isOpen()).isTrue();

        halfOpen();
        circuit.handled("d", early);
        assertThat(circuit.isHalfOpen()).isTrue();
        assertThat(circuit.failed("e", early, FAILURE)).isNotNull();
        assertThat(circuit.isHalfOpen()).isTrue();

        circuit.handled("f", now.get());
        assertThat(circuit.failed("g", early, FAILURE)).isNotNull();
        assertThat(circuit.unavailable()).isNull();
    }

    @Test
    void messageThatFailsAloneCountsEachTime() {
        fail("bad");
        close("good");

        assertThat(fail("bad")).isNull();
        assertThat(fail("bad")).isNull();
        assertThat(circuit.unavailable()).isNull();
    }

    @Test
    void attemptDoesNotCountWhileTheCircuitIsHalfOpen() {
        fail("a");
        close("b");
        circuit.handled("c", now.get());
        fail("d");
        halfOpen();

        assertThat(fail("a")).isNotNull();
    }

    @Test
    void failureIsForgottenAfterFiveMinutes() {
        fail("a");
        close("b");
        circuit.handled("c", now.get());
        pass(Duration.ofMinutes(5).plusMillis(1));
        circuit.handled("d", now.get());

        assertThat(fail("a")).isNotNull();
    }

    @Test
    void circuitClosesAfterAMinuteWithoutAProbe() {
        fail("a");
        halfOpen();
        pass(Circuit.LONGEST_PROBE);
        circuit.run();

        assertThat(circuit.unavailable()).isNull();
    }
}
