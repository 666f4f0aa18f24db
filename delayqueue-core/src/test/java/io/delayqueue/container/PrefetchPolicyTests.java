package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.listener.ListenerOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PrefetchPolicyTests {

    private final PrefetchPolicy policy = new PrefetchPolicy(4, 1000);

    private void handled(Duration time, int times) {
        for (int i = 0; i < times; i++) {
            policy.handled(time.toNanos(), 1);
        }
    }

    @Test
    void unmeasuredListenersClaimOnePerWorkerInAdvance() {
        assertThat(policy.allowed()).isEqualTo(4);
        assertThat(new PrefetchPolicy(4, 2).allowed()).isEqualTo(2);
        assertThat(new PrefetchPolicy(4, 0).allowed()).isZero();
    }

    @Test
    void fastHandlersGetWhatTheyHandleInAQuarterOfASecond() {
        handled(Duration.ofMillis(10), 100);
        assertThat(policy.allowed()).isEqualTo(100);
        handled(Duration.ofNanos(0), 1000);
        assertThat(policy.allowed()).isEqualTo(1000);
    }

    @Test
    void slowHandlersLeaveMessagesToOtherNodes() {
        handled(Duration.ofSeconds(2), 1);
        assertThat(policy.allowed()).isZero();
        handled(Duration.ofMillis(1), 200);
        assertThat(policy.allowed()).isGreaterThan(500);
        handled(Duration.ofSeconds(1), 30);
        assertThat(policy.allowed()).isLessThan(2);
    }

    @Test
    void batchesAreMeasuredByTheMessage() {
        policy.handled(Duration.ofMillis(100).toNanos(), 10);
        assertThat(policy.allowed()).isEqualTo(100);
    }

    @Test
    void afterAReleaseNothingIsClaimedInAdvanceUntilAHandlerEnds() {
        handled(Duration.ofMillis(10), 100);
        policy.released();
        assertThat(policy.allowed()).isZero();
        handled(Duration.ofMillis(10), 1);
        assertThat(policy.allowed()).isEqualTo(100);
    }

    @Test
    void nothingIsClaimedInAdvanceIfASingleAttemptIsPermitted() {
        ListenerOptions once =
                ListenerOptions.DEFAULTS.toBuilder().maxAttempts(1).build();
        assertThat(new PrefetchPolicy(once).allowed()).isZero();
        assertThat(new PrefetchPolicy(ListenerOptions.DEFAULTS).allowed()).isPositive();
    }
}
