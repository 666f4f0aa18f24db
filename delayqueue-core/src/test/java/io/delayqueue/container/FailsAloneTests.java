package io.delayqueue.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.coordination.PeerReports.Peer;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.listener.ListenerSpec;
import io.delayqueue.listener.ListenerStatus.Attempts;
import io.delayqueue.listener.ListenerStatusBuilder;
import io.delayqueue.message.Failure;
import io.delayqueue.message.QueueKind;
import io.delayqueue.store.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a listener fails alone; the test moves the clock and reports for the other nodes. */
class FailsAloneTests {

    private static final Throwable FAILURE = new IllegalStateException("no route to the bank");

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1); // the clock may overflow
    private final AtomicInteger changes = new AtomicInteger();
    private final AttemptLog attempts = new AttemptLog(
            new ListenerSpec("l", "t", QueueKind.MESSAGES, ListenerOptions.DEFAULTS, String.class, all -> null),
            now::get,
            "");
    private @Nullable Consumer<List<Peer>> watcher;
    private final FailsAlone failsAlone = detector(true);

    private FailsAlone detector(boolean enabled) {
        return new FailsAlone(
                "listener l of topic t",
                enabled,
                attempts,
                heard -> {
                    watcher = heard;
                    return () -> watcher = null;
                },
                now::get,
                changes::incrementAndGet);
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private void settle(Settlement settlement, long startedAt, @Nullable Throwable failure) {
        attempts.settled(settlement, 1, startedAt, failure, Map::of);
        failsAlone.settled(settlement, startedAt, failure);
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            settle(retry(), now.get(), FAILURE);
        }
    }

    private static Settlement retry() {
        return new Settlement.Retry("m", "token", Duration.ZERO, Failure.of(FAILURE));
    }

    private void succeed(int times) {
        for (int i = 0; i < times; i++) {
            settle(new Settlement.Acknowledge("m", "token"), now.get(), null);
        }
    }

    /** A heartbeat that reads the reports of these listeners. */
    private void report(Peer... peers) {
        if (watcher != null) {
            watcher.accept(List.of(peers));
        }
    }

    private static Peer peer(long succeeded, long failed, @Nullable Duration sinceSuccess, Duration age) {
        Attempts lastMinute = new Attempts(succeeded, failed, 0, Duration.ZERO, null, Duration.ZERO, sinceSuccess);
        return new Peer(
                ListenerStatusBuilder.listener("", "t").attempts(lastMinute).build(), age);
    }

    private static Peer succeeding() {
        return peer(10, 0, Duration.ZERO, Duration.ZERO);
    }

    private void failAlone() {
        fail(FailsAlone.FEWEST);
        pass(Duration.ofSeconds(1));
        report(succeeding());
        assertThat(failsAlone.isAlone()).isTrue();
    }

    @Test
    void fiveFailuresInARowWhileAnotherSucceeds() {
        fail(FailsAlone.FEWEST - 1);
        assertThat(watcher).as("nothing is read from other nodes").isNull();
        fail(1);
        pass(Duration.ofSeconds(1));
        assertThat(failsAlone.isAlone()).isFalse();
        report(succeeding());
        assertThat(failsAlone.isAlone()).isTrue();
        assertThat(failsAlone.waits()).isTrue();
        assertThat(failsAlone.leavesShards()).isTrue();
        assertThat(changes).hasValue(1);
    }

    @Test
    void oneProbeASecondUntilOneSucceeds() {
        failAlone();
        for (int probe = 1; probe <= 3; probe++) {
            assertThat(failsAlone.run()).isEqualTo(FailsAlone.PROBE_INTERVAL);
            pass(FailsAlone.PROBE_INTERVAL.minusMillis(1));
            assertThat(failsAlone.run()).isEqualTo(Duration.ofMillis(1));
            pass(Duration.ofMillis(1));
            failsAlone.run();
            assertThat(failsAlone.probes()).isTrue();
            fail(1);
            assertThat(failsAlone.waits()).isTrue();
        }
        pass(FailsAlone.PROBE_INTERVAL);
        failsAlone.run();
        changes.set(0);
        succeed(1);
        assertThat(failsAlone.isAlone()).isFalse();
        assertThat(failsAlone.probes()).isFalse();
        assertThat(failsAlone.leavesShards()).isFalse();
        assertThat(watcher).isNull();
        assertThat(changes).hasValue(1);
    }

    @Test
    void retryThatTheHandlerRequestsIsNoFailureButEndsAProbe() {
        for (int i = 0; i < FailsAlone.ENOUGH; i++) {
            settle(retry(), now.get(), null);
        }
        assertThat(watcher).isNull();

        failAlone();
        pass(FailsAlone.PROBE_INTERVAL);
        failsAlone.run();
        settle(retry(), now.get(), null);
        assertThat(failsAlone.waits()).isTrue();
    }

    @Test
    void attemptThatStartedBeforeEndsNoProbeAndIsNoSuccess() {
        long early = now.get();
        pass(Duration.ofMillis(1));
        failAlone();
        settle(new Settlement.Acknowledge("m", "token"), early, null);
        assertThat(failsAlone.isAlone()).isTrue();
        pass(FailsAlone.PROBE_INTERVAL);
        failsAlone.run();
        settle(retry(), early, FAILURE);
        assertThat(failsAlone.probes()).isTrue();
    }

    @Test
    void nothingChangesIfAllFail() {
        fail(FailsAlone.FEWEST);
        pass(Duration.ofSeconds(1));
        report(peer(0, 10, null, Duration.ZERO), peer(0, 1, null, Duration.ZERO));
        report(peer(4, 5, Duration.ZERO, Duration.ZERO));
        report();
        assertThat(changes).hasValue(0);
    }

    /** The other node may have been fine before, and fail now like this one. */
    @Test
    void successBeforeTheFailuresIsNoEvidence() {
        fail(FailsAlone.FEWEST);
        pass(Duration.ofSeconds(1));
        report(peer(500, 0, Duration.ofMillis(500), Duration.ofMillis(500)));
        assertThat(failsAlone.isAlone()).isFalse();
        report(peer(500, 0, Duration.ofMillis(500), Duration.ofMillis(499)));
        assertThat(failsAlone.isAlone()).isTrue();
    }

    @Test
    void fullRateReturnsWhenNoOtherNodeSucceeds() {
        failAlone();
        report(peer(5, 6, Duration.ofSeconds(1), Duration.ZERO));
        assertThat(failsAlone.isAlone()).isFalse();
        assertThat(failsAlone.leavesShards()).isFalse();

        failAlone();
        report();
        assertThat(failsAlone.isAlone()).isFalse();
        assertThat(changes).hasValue(4);
    }

    @Test
    void aNodeWithoutAttemptsGetsTheShardsFirst() {
        fail(FailsAlone.FEWEST);
        report(peer(0, 3, null, Duration.ZERO), peer(0, 0, null, Duration.ZERO));
        assertThat(failsAlone.leavesShards()).isTrue();
        assertThat(failsAlone.isAlone()).as("at full rate").isFalse();
        report(peer(0, 3, null, Duration.ZERO), peer(0, 2, null, Duration.ZERO));
        assertThat(failsAlone.leavesShards()).as("no change back and forth").isTrue();
        assertThat(changes).hasValue(1);

        succeed(1);
        assertThat(failsAlone.leavesShards()).isFalse();
        assertThat(changes).hasValue(2);
    }

    @Test
    void failuresAmongSuccessesDoNotMatter() {
        succeed(5);
        fail(FailsAlone.ENOUGH - 1);
        assertThat(watcher).as("less than nine of ten").isNull();
        fail(1);
        assertThat(watcher).as("many in a row").isNotNull();

        pass(Duration.ofMinutes(2));
        report();
        assertThat(watcher).as("none within the last minute").isNull();
        fail(FailsAlone.FEWEST - 1);
        succeed(1);
        fail(FailsAlone.FEWEST - 1);
        assertThat(watcher).isNull();
    }

    @Test
    void slowFailuresDoNotMatter() {
        for (int i = 0; i < 2 * FailsAlone.ENOUGH; i++) {
            fail(1);
            pass(Duration.ofSeconds(16));
        }
        assertThat(watcher).isNull();
    }

    @Test
    void stoppedListenerNoticesNothing() {
        failAlone();
        failsAlone.close();
        assertThat(watcher).isNull();
        assertThat(failsAlone.isAlone()).isFalse();
        fail(FailsAlone.FEWEST);
        assertThat(watcher).isNull();
    }

    @Test
    void canBeSwitchedOff() {
        FailsAlone off = detector(false);
        for (int i = 0; i < FailsAlone.ENOUGH; i++) {
            attempts.settled(retry(), 1, now.get(), FAILURE, Map::of);
            off.settled(retry(), now.get(), FAILURE);
        }
        assertThat(watcher).isNull();
    }
}
