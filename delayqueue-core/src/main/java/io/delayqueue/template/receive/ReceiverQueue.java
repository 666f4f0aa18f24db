package io.delayqueue.template.receive;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Waiting receivers in the order of their requests, which their numbers give, and by the ends of their waits.
 *
 * <p>No method but {@link #removeTimedOut} and {@link #removeAll} visits more receivers than it returns: thousands may
 * wait, and the threads that serve them use the queue in turn. Not thread-safe.
 */
final class ReceiverQueue {

    private final NavigableMap<Long, Waiting> byNumber = new TreeMap<>();
    /** The receivers whose waits had not timed out at the last call of {@link #removeTimedOut}. */
    private final NavigableSet<Waiting> byDeadline = new TreeSet<>(ReceiverQueue::compareDeadlines);
    /** The other receivers, which wait for a reply only. */
    private final Set<Waiting> timedOut = new LinkedHashSet<>();

    private long lastNumber;

    /** A waiting receiver. */
    static final class Waiting {

        final TopicRequest request;
        final CompletableFuture<List<LeasedDelivery>> future;
        /** Its number in the order of requests, from 1. */
        final long number;

        private final long deadline;

        private Waiting(
                TopicRequest request, CompletableFuture<List<LeasedDelivery>> future, long number, long deadline) {
            this.request = request;
            this.future = future;
            this.number = number;
            this.deadline = deadline;
        }

        /** Whether one poll can claim for both: its leases have one length, and either all or none are of lone messages. */
        private boolean sharesPollWith(Waiting other) {
            return request.lease().equals(other.request.lease()) && (request.max() == 1) == (other.request.max() == 1);
        }
    }

    /** The times are of a monotonic clock and may overflow. */
    private static int compareDeadlines(Waiting one, Waiting other) {
        long difference = one.deadline - other.deadline;
        return difference != 0 ? Long.signum(difference) : Long.compare(one.number, other.number);
    }

    Waiting add(TopicRequest request, CompletableFuture<List<LeasedDelivery>> future, long now) {
        lastNumber++;
        Waiting receiver = new Waiting(
                request, future, lastNumber, now + request.waitTime().toNanos());
        byNumber.put(receiver.number, receiver);
        (request.waitTime().isZero() ? timedOut : byDeadline).add(receiver);
        return receiver;
    }

    /** Returns whether the receiver was waiting. */
    boolean remove(Waiting receiver) {
        if (byNumber.remove(receiver.number) == null) {
            return false;
        }
        if (!timedOut.remove(receiver)) {
            byDeadline.remove(receiver);
        }
        return true;
    }

    boolean isEmpty() {
        return byNumber.isEmpty();
    }

    /** The number of the newest waiting receiver; 0 if none waits. */
    long newest() {
        return byNumber.isEmpty() ? 0 : byNumber.lastKey();
    }

    /**
     * The first receiver, and those behind it for which the same poll can claim.
     *
     * @param maxMessages maximum of the messages for several receivers
     */
    List<Waiting> firstThatSharePoll(int maxMessages) {
        List<Waiting> first = new ArrayList<>();
        int messages = 0;
        for (Waiting receiver : byNumber.values()) {
            messages += receiver.request.max();
            if (!first.isEmpty() && (messages > maxMessages || !receiver.sharesPollWith(first.get(0)))) {
                break;
            }
            first.add(receiver);
        }
        return first;
    }

    /** Removes the receivers whose waits have timed out and that have nothing more to wait for, and returns them. */
    List<Waiting> removeTimedOut(long now, Predicate<Waiting> hasNothingToWaitFor) {
        while (nanosUntilTimeout(now, 1) <= 0) {
            timedOut.add(byDeadline.pollFirst());
        }
        List<Waiting> ended = timedOut.stream().filter(hasNothingToWaitFor).toList();
        ended.forEach(this::remove);
        return ended;
    }

    /** The nanoseconds until the next wait times out, or {@code atMost} if that is less. */
    long nanosUntilTimeout(long now, long atMost) {
        return byDeadline.isEmpty() ? atMost : Math.min(atMost, byDeadline.first().deadline - now);
    }

    /** Removes all receivers and returns them in their order. */
    List<Waiting> removeAll() {
        List<Waiting> all = List.copyOf(byNumber.values());
        byNumber.clear();
        byDeadline.clear();
        timedOut.clear();
        return all;
    }
}
