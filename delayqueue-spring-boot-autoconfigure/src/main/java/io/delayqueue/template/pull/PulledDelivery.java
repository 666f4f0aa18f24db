package io.delayqueue.template.pull;

import io.delayqueue.listener.Acknowledgement;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A message that was pulled, under a lease. Thread-safe.
 *
 * <p>It is settled once: by {@link #acknowledge()}, {@link #retry}, {@link #bury} or {@link #release}. Each ends with whether that was
 * accepted; false means that the message is not live under this lease, no more, and nothing changed. A settle that
 * follows another one ends with false. An answer that Redis didn't give is asked for again until it does, so that a
 * future may take as long as an outage; it fails only when the receiver is closed before. Dependents of these futures
 * must not block.
 */
public interface PulledDelivery extends Acknowledgement {

    /** The topic. */
    String topic();

    /** The message's id. */
    String id();

    /** Which attempt this is, from 1. */
    int attempt();

    /** When it was due, by Redis' clock; for a repeated attempt, when the repeat was due. */
    Instant dueAt();

    /** When it was sent, by Redis' clock. */
    Instant sentAt();

    /** The headers, unmodifiable. */
    Map<String, String> headers();

    /** The last attempt's failure in short, if there was one. */
    @Nullable
    String lastFailure();

    /** The payload's bytes as they are stored; not to be changed. */
    byte[] body();

    /**
     * The payload as a type.
     *
     * @throws io.delayqueue.convert.PayloadConversionException if it can't be read as that type
     */
    <T> T payload(Class<T> type);

    /**
     * The payload as a type with generics.
     *
     * @throws io.delayqueue.convert.PayloadConversionException if it can't be read as that type
     */
    Object payload(Type type);

    /** By which the queue knows this lease; another delivery of the message has another one. */
    String leaseToken();

    /** By which any process may settle it, with {@link Leases}: at most 150 visible ASCII characters, without a slash. */
    String receipt();

    /** When the lease ends unless it is extended, by Redis' clock, rather too early than too late. */
    Instant leaseEnd();

    /** For how long the lease holds, by this process' monotonic clock; zero once it may be over. */
    Duration leaseLeft();

    /**
     * Deliver it again; when this was the last permitted attempt, it goes to the dead letters.
     *
     * @param delay zero or more
     * @param reason kept with the message
     */
    CompletableFuture<Boolean> retry(Duration delay, String reason);

    /** Hands it back as if it had not been claimed: it is due as before, and the attempt doesn't count. */
    CompletableFuture<Boolean> release();

    /**
     * Makes the lease end not before a time from now; it never makes it shorter.
     *
     * @param time 1 s to 1 d
     */
    @Override
    CompletableFuture<Boolean> extend(Duration time);
}
