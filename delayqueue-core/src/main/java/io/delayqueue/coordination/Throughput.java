package io.delayqueue.coordination;

/**
 * What processes sent and received of a topic within the last minute.
 *
 * @param sent number of sent messages
 * @param received number of messages that receivers handled; those of listeners are in the reports of their nodes
 */
public record Throughput(long sent, long received) {

    /** Nothing. */
    public static final Throughput NONE = new Throughput(0, 0);

    Throughput plus(Throughput other) {
        return new Throughput(sent + other.sent, received + other.received);
    }
}
