package io.delayqueue.store.bench;

import io.delayqueue.message.DeadLetterCause;
import io.delayqueue.message.Durability;
import io.delayqueue.message.Failure;
import io.delayqueue.message.Shard;
import io.delayqueue.redis.Await;
import io.delayqueue.store.CrashLimits;
import io.delayqueue.store.MessageStore;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.PollRequest;
import io.delayqueue.store.PollRequest.Claiming;
import io.delayqueue.store.PollRequest.Reclaiming;
import io.delayqueue.store.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds a poll request. By default, it claims nothing, leases for 30 s, permits 3 attempts, isolates messages after 2
 * crashes, permits 3 crashes in isolation, reclaims up to 500
 * messages, and suspends reclaiming for 10 s after a gap of 5 s between polls. Not thread-safe.
 */
public final class Polls {

    private final String consumer;
    private final long sequence;
    private final List<Settlement> settlements = new ArrayList<>();
    private final List<Settlement.Extend> renewals = new ArrayList<>();
    private int max;
    private int maxBytes = PollRequest.MAX_BYTES;
    private Duration lease = Duration.ofSeconds(30);
    private boolean suspect;
    private boolean receiver;
    private int handlers = PollRequest.MAX_BATCH;
    private int reclaimMax = PollRequest.MAX_BATCH;
    private Duration gap = Duration.ofSeconds(5);
    private boolean signalDueMessagesLeft;
    private @Nullable Duration sinceLastPoll;

    private Polls(String consumer, long sequence) {
        this.consumer = consumer;
        this.sequence = sequence;
    }

    /** Starts a poll request of a consumer. */
    public static Polls by(String consumer, long sequence) {
        return new Polls(consumer, sequence);
    }

    /** Claims at most {@code max} messages. */
    public Polls claim(int max) {
        this.max = max;
        return this;
    }

    /** Claims a suspect, too. */
    public Polls claimSuspect() {
        suspect = true;
        return this;
    }

    /** Claims for a receiver. */
    public Polls claimForReceiver() {
        receiver = true;
        handlers = 1;
        max = 1;
        return this;
    }

    /** Claims messages of which {@code handlers} are handled at once; by default all. */
    public Polls handlers(int handlers) {
        this.handlers = handlers;
        return this;
    }

    /** Claims at most {@code maxBytes} bytes. */
    public Polls bytes(int maxBytes) {
        this.maxBytes = maxBytes;
        return this;
    }

    /** Sets the lease duration. */
    public Polls lease(Duration lease) {
        this.lease = lease;
        return this;
    }

    /** Reclaims at most {@code max} messages. */
    public Polls reclaim(int max) {
        reclaimMax = max;
        return this;
    }

    /** Suspends reclaiming only after a gap of this length between polls. */
    public Polls gap(Duration gap) {
        this.gap = gap;
        return this;
    }

    /** Publishes a signal if due messages remain unclaimed. */
    public Polls signalDueMessagesLeft() {
        signalDueMessagesLeft = true;
        return this;
    }

    /** Acknowledges a message. */
    public Polls acknowledge(String id, String token) {
        settlements.add(new Settlement.Acknowledge(id, token));
        return this;
    }

    /** Retries a message after {@code delay} milliseconds, with the failure {@code E: no}. */
    public Polls retry(String id, String token, long delay) {
        return retry(id, token, delay, "no");
    }

    /** Retries a message with the failure {@code E} and a detail. */
    public Polls retry(String id, String token, long delay, String detail) {
        settlements.add(new Settlement.Retry(id, token, Duration.ofMillis(delay), new Failure("E", detail)));
        return this;
    }

    /** Retries a message after {@code delay} milliseconds if an attempt is left, with the failure {@code E: no}. */
    public Polls retryIfAttemptsLeft(String id, String token, long delay) {
        settlements.add(new Settlement.Retry(id, token, Duration.ofMillis(delay), new Failure("E", "no"), true, null));
        return this;
    }

    /** Dead-letters a message, with the failure {@code E: no} and a stack. */
    public Polls deadLetter(String id, String token, DeadLetterCause cause) {
        settlements.add(new Settlement.ToDeadLetters(id, token, cause, new Failure("E", "no", "at x\nat y")));
        return this;
    }

    /** Postpones a message by {@code delay} milliseconds, if it was postponed less than {@code permitted} times. */
    public Polls postpone(String id, String token, long delay, int permitted) {
        settlements.add(new Settlement.Postpone(id, token, Duration.ofMillis(delay), permitted));
        return this;
    }

    /** Postpones a message by {@code delay} milliseconds, and lets others of its key pass. */
    public Polls postponeLettingOthersPass(String id, String token, long delay) {
        settlements.add(new Settlement.Postpone(id, token, Duration.ofMillis(delay), 0, true));
        return this;
    }

    /** Releases a message. */
    public Polls release(String id, String token) {
        settlements.add(new Settlement.Release(id, token));
        return this;
    }

    /** Releases a message for {@code delay} milliseconds. */
    public Polls release(String id, String token, long delay) {
        settlements.add(new Settlement.Release(id, token, Duration.ofMillis(delay), false));
        return this;
    }

    /** Releases a message for {@code time} milliseconds, and holds its topic. */
    public Polls hold(String id, String token, long time) {
        settlements.add(Settlement.Release.holding(id, token, Duration.ofMillis(time)));
        return this;
    }

    /** Extends a lease to {@code lease} milliseconds from now. */
    public Polls renew(String id, String token, long lease) {
        renewals.add(new Settlement.Extend(id, token, Duration.ofMillis(lease)));
        return this;
    }

    /** Sets the milliseconds since the consumer's last poll, by the consumer's clock. */
    public Polls after(long millis) {
        sinceLastPoll = Duration.ofMillis(millis);
        return this;
    }

    /** Polls as a listener does: registers the topic. */
    public static PollReply poll(MessageStore store, Shard shard, PollRequest request) {
        return Await.result(store.poll(shard, request, true, Durability.NONE)).orElseThrow();
    }

    /** Builds the request. */
    public PollRequest build() {
        return new PollRequest(
                consumer,
                sequence,
                consumer + "-" + Long.toString(sequence, 36),
                new Claiming(max, maxBytes, lease, suspect, receiver, handlers),
                new Reclaiming(reclaimMax, 3, CrashLimits.DEFAULTS, gap, Duration.ofSeconds(10)),
                signalDueMessagesLeft,
                List.copyOf(settlements),
                List.copyOf(renewals),
                sinceLastPoll);
    }
}
