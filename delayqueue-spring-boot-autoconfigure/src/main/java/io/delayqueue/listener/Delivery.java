package io.delayqueue.listener;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One attempt at a message. Thread-safe. */
public interface Delivery {

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

    /**
     * The payload as the listener's payload type.
     *
     * @throws IllegalStateException before it was converted
     */
    Object payload();

    /** The payload's bytes as they are stored; not to be changed. */
    byte[] body();

    /** The last attempt's failure in short, if there was one. */
    @Nullable
    String lastFailure();

    /** When the lease ends unless it is renewed, estimated by this process' clock. */
    Instant leaseEnd();

    /**
     * Whether the lease is still held as far as this process knows. Once false it stays false, and whatever is answered
     * counts no more.
     */
    boolean held();

    /** By which the handler may answer. */
    Acknowledgement acknowledgement();
}
