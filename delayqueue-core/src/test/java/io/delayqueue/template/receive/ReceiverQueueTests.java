package io.delayqueue.template.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.template.receive.ReceiverQueue.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The clock is close to its overflow. */
class ReceiverQueueTests {

    private static final long BEGIN = Long.MAX_VALUE - 10;
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final ReceiverQueue queue = new ReceiverQueue();

    @Test
    void firstReceiversSharePollUpToMaximumOfMessages() {
        Waiting first = add(20, 2);
        Waiting second = add(10, 2);
        add(30, 2);

        assertThat(queue.firstThatSharePoll(5)).containsExactly(first, second);
        assertThat(queue.firstThatSharePoll(1)).containsExactly(first);
        assertThat(queue.newest()).isEqualTo(3);
    }

    @Test
    void receiverOfOneMessageDoesNotSharePollWithReceiverOfMore() {
        Waiting first = add(20, 1);
        add(20, 2);
        add(20, 1);

        assertThat(queue.firstThatSharePoll(100)).containsExactly(first);
    }

    @Test
    void onlyReceiversThatTimedOutAreVisited() {
        Waiting late = add(20, 1);
        Waiting early = add(5, 1);
        for (int i = 0; i < 1_000; i++) {
            add(50, 1);
        }
        List<Waiting> visited = new ArrayList<>();

        List<Waiting> ended = queue.removeTimedOut(at(20), receiver -> {
            visited.add(receiver);
            return true;
        });

        assertThat(visited).containsExactly(early, late);
        assertThat(ended).containsExactly(early, late);
        assertThat(queue.nanosUntilTimeout(at(20), 1_000)).isEqualTo(30);
        assertThat(queue.removeAll()).hasSize(1_000);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void receiverThatTimedOutStaysWhileItWaitsForReply() {
        Waiting receiver = add(5, 1);

        assertThat(queue.nanosUntilTimeout(at(4), 1_000)).isEqualTo(1);
        assertThat(queue.removeTimedOut(at(5), waiting -> false)).isEmpty();
        assertThat(queue.nanosUntilTimeout(at(5), 1_000)).isEqualTo(1_000);
        assertThat(queue.firstThatSharePoll(1)).containsExactly(receiver);
        assertThat(queue.removeTimedOut(at(6), waiting -> true)).containsExactly(receiver);
        assertThat(queue.newest()).isZero();
    }

    @Test
    void receiverWithoutWaitHasTimedOutAtOnce() {
        Waiting receiver = add(0, 1);

        assertThat(queue.nanosUntilTimeout(at(0), 1_000)).isEqualTo(1_000);
        assertThat(queue.removeTimedOut(at(0), waiting -> true)).containsExactly(receiver);
    }

    @Test
    void removedReceiverIsNotFoundAgain() {
        Waiting waiting = add(5, 1);
        Waiting timedOut = add(0, 1);

        assertThat(queue.remove(waiting)).isTrue();
        assertThat(queue.remove(timedOut)).isTrue();
        assertThat(queue.remove(timedOut)).isFalse();
        assertThat(queue.nanosUntilTimeout(at(0), 1_000)).isEqualTo(1_000);
        assertThat(queue.isEmpty()).isTrue();
    }

    private Waiting add(long waitNanos, int max) {
        return queue.add(
                new TopicRequest("orders", max, Duration.ofNanos(waitNanos), LEASE), new CompletableFuture<>(), at(0));
    }

    private static long at(long nanos) {
        return BEGIN + nanos;
    }
}
