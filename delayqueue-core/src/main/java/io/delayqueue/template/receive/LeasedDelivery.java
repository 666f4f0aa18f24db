package io.delayqueue.template.receive;

import io.delayqueue.listener.Acknowledgement;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A received message under a lease. Thread-safe.
 *
 * <p>Settle it once, with {@link #acknowledge()}, {@link #retry}, {@link #postpone}, {@link #letOthersPass},
 * {@link #holdTopic}, {@link #deadLetter} or {@link #release}. Each future
 * completes with whether Redis accepted the settlement. False means that the message is not live under this lease and
 * nothing changed; a second settlement also yields false. A call without a reply is retried until Redis replies, so a
 * future can take as long as an outage. It fails only if the receiver is closed before or, in a topic with
 * a {@link io.delayqueue.message.Durability}, if the settlement took effect but was not confirmed in time, so that a
 * failover may undo it. Dependents of the futures must not block.
 */
public interface LeasedDelivery extends Acknowledgement {

    /** The topic. */
    String topic();

    /** The message's id. */
    String id();

    /** The message's key; null if it has none. */
    @Nullable
    String key();

    /** Of an occurrence of a schedule, when it was due unless it was rescheduled; null for any other message. */
    @Nullable
    Instant slot();

    /** The number of this attempt, 1 or more. */
    int attempt();

    /** How often the message was postponed since it was sent. */
    int postponements();

    /**
     * The number of leases that ended without a settlement since the last settlement, for example because a process was
     * killed. An earlier receiver of the same attempt may have handled the message.
     */
    int crashes();

    /** The due time of this attempt, by Redis' clock. */
    Instant dueAt();

    /** When the message was sent, by Redis' clock. */
    Instant sentAt();

    /** The headers, unmodifiable. */
    Map<String, String> headers();

    /** A summary of the last failure; null if no attempt has failed. */
    @Nullable
    String lastFailure();

    /** The stored payload. Do not modify the array. */
    byte[] body();

    /**
     * Converts the payload.
     *
     * @throws io.delayqueue.convert.PayloadConversionException if the payload cannot be converted to the type
     */
    <T> T payload(Class<T> type);

    /**
     * Converts the payload to a type that may be generic.
     *
     * @throws io.delayqueue.convert.PayloadConversionException if the payload cannot be converted to the type
     */
    Object payload(Type type);

    /**
     * The token of this lease. Each delivery of a message has a new token, but messages that were claimed together have the
     * same one.
     */
    String leaseToken();

    /**
     * The receipt with which any process can settle this delivery, and no other, by {@link Leases} or over HTTP. At most 665
     * letters, digits, {@code -}, {@code _} and {@code .}.
     */
    String receipt();

    /** The earliest time at which the lease can end unless it is extended, by Redis' clock. */
    Instant leaseEnd();

    /** The time for which the lease still holds, by the monotonic clock; zero if the lease may have ended. */
    Duration leaseLeft();

    /**
     * Retries the message after a delay; dead-letters it if this was the last permitted attempt.
     *
     * @param delay zero or more
     * @param reason stored with the message as its last failure
     * @throws IllegalArgumentException if the delay is negative
     */
    CompletableFuture<Boolean> retry(Duration delay, String reason);

    /** Releases the delivery: the message is due as before, and the attempt does not count. */
    CompletableFuture<Boolean> release();
}
