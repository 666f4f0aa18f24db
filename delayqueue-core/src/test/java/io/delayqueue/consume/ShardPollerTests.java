package io.delayqueue.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.event.EventBus;
import io.delayqueue.event.Recipient;
import io.delayqueue.message.QueueKind;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.PendingSettlement;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Settlement;
import io.delayqueue.store.ShardSession;
import io.delayqueue.store.ShardSession.Poll;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A poller whose demand, or whose calls, fail with an error. */
class ShardPollerTests {

    private static final Reclaiming RECLAIMING =
            new Reclaiming(0, 10, CrashLimits.DEFAULTS, Duration.ofSeconds(6), Duration.ZERO);
    private static final PollReply REPLY = new PollReply(
            1_000_000,
            PollReply.NEVER,
            PollReply.NEVER,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            false,
            false,
            null);

    private final List<PollRequest> sent = new ArrayList<>();
    private final CompletableFuture<Boolean> accepted = new CompletableFuture<>();
    private CompletableFuture<Optional<PollReply>> reply = CompletableFuture.completedFuture(Optional.of(REPLY));
    private final ShardSession session = new ShardSession(
            request -> {
                sent.add(request);
                return reply;
            },
            "me",
            new AtomicLong()::incrementAndGet,
            () -> 0,
            new EventBus(List.of()),
            new Recipient("t", QueueKind.MESSAGES, null),
            completions -> completions.forEach(Runnable::run));
    private final FailingDemand demand = new FailingDemand();
    private final ShardPoller poller = new ShardPoller(session, () -> 0, demand);

    private final class FailingDemand implements Demand {

        private final List<Throwable> failures = new ArrayList<>();
        private boolean ran;

        @Override
        public Poll begin() {
            return session.begin(Claiming.NOTHING, RECLAIMING, false, List.of());
        }

        @Override
        public void replied(Poll poll, PollReply reply) {
            throw new OutOfMemoryError("of the demand");
        }

        @Override
        public void unregistered() {
            throw new OutOfMemoryError("of the demand");
        }

        @Override
        public Duration untilReplied(Poll poll) {
            return Duration.ZERO;
        }

        @Override
        public Duration untilNext() {
            return Duration.ZERO;
        }

        @Override
        public boolean failed(Throwable failure) {
            failures.add(failure);
            return false;
        }

        @Override
        public void afterRun() {
            ran = true;
        }
    }

    @BeforeEach
    void settle() {
        session.add(new PendingSettlement(new Settlement.Acknowledge("a", "token"), null, 0, 0, null, accepted));
    }

    private void runFails(String error) {
        assertThatThrownBy(poller::run).isInstanceOf(Error.class).hasMessage(error);
        assertThat(demand.failures).extracting(Throwable::getMessage).containsExactly(error);
        assertThat(demand.ran).isTrue();
    }

    @Test
    void settlementsOfAReplyThatCannotBeAppliedComplete() {
        runFails("of the demand");

        assertThat(accepted).isCompletedWithValue(true);
        assertThat(session.inProgress()).isNull();
    }

    @Test
    void settlementsForADeletedTopicAreRejectedEvenIfTheDemandFails() {
        reply = CompletableFuture.completedFuture(Optional.empty());

        runFails("of the demand");

        assertThat(accepted).isCompletedWithValue(false);
    }

    @Test
    void aPollThatFailsWithAnErrorIsRepeatedUnchanged() {
        reply = CompletableFuture.failedFuture(new NoClassDefFoundError("of the call"));
        runFails("of the call");
        assertThat(accepted).isNotDone();
        demand.failures.clear();

        reply = CompletableFuture.completedFuture(Optional.of(REPLY));
        runFails("of the demand");

        assertThat(sent).hasSize(2);
        assertThat(sent.get(1)).isEqualTo(sent.get(0));
        assertThat(accepted).isCompletedWithValue(true);
    }
}
