package io.delayqueue.template.pull;

import java.time.Duration;
import java.time.Instant;

/** What is told of a delivery when it is settled. */
interface Timing {

    /** Which attempt it was. */
    int attempt();

    /**
     * How long the receiver had it.
     *
     * @param askedNanos when it was asked for the settle, by the monotonic clock
     * @param settledAt when it was settled, by Redis' clock
     */
    Duration handling(long askedNanos, Instant settledAt);

    /**
     * How long ago the message was sent.
     *
     * @param settledAt when it was settled, by Redis' clock
     */
    Duration sinceSent(Instant settledAt);
}
