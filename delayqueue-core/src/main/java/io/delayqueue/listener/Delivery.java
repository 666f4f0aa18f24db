package io.delayqueue.listener;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One attempt to handle a message. Thread-safe. */
public interface Delivery {

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

    /** The number of the attempt, from 1. */
    int attempt();

    /** How often the message was postponed since it was sent. */
    int postponements();

    /**
     * The number of leases that ended without a settlement since the last settlement, for example because a process was
     * killed. An earlier handler of the same attempt may have run.
     */
    int crashes();

    /** The due time of this attempt, by Redis' clock. For a retry, the due time of the retry. */
    Instant dueAt();

    /** The time of the send, by Redis' clock. */
    Instant sentAt();

    /**
     * Identifies the send, together with topic and id: an application can use these three to recognise messages that it
     * has handled. It is the same for all attempts of the message, for its replayed dead letters, and for a repeat of the
     * send after an unknown outcome or with an idempotency key. It differs if the id is sent anew or the message is
     * replaced.
     *
     * @return at most 80 characters; {@code -} if the id was generated, because the id then identifies the send
     */
    String sendId();

    /** The headers, unmodifiable. */
    Map<String, String> headers();

    /**
     * The payload, converted to the listener's payload type.
     *
     * @throws IllegalStateException if the payload is not yet converted
     */
    Object payload();

    /** The stored bytes of the payload; must not be changed. */
    byte[] body();

    /** Summary of the last attempt's failure; null if no attempt failed. */
    @Nullable
    String lastFailure();

    /** When the lease ends unless it is renewed, estimated by the clock of this process. */
    Instant leaseEnd();

    /**
     * Whether the lease is held, to the knowledge of this process. Once false it stays false, and every settlement is
     * rejected.
     */
    boolean held();

    /** Whether this delivery was postponed. */
    boolean postponed();

    /** Settles this delivery. */
    Acknowledgement acknowledgement();
}
