package io.delayqueue.template.pull;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A receiver in its topic's queue.
 *
 * @param request what it asks for
 * @param future what it was given; ended by its owner, it is out of the queue
 * @param arrival its number in the queue, growing
 * @param deadlineNanos when its wait is over, by the monotonic clock
 */
record WaitingReceiver(
        ReceiveRequest request, CompletableFuture<List<PulledDelivery>> future, long arrival, long deadlineNanos) {

    boolean isOver(long now) {
        return now - deadlineNanos >= 0;
    }
}
