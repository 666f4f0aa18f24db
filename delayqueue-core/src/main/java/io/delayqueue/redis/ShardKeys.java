package io.delayqueue.redis;

import java.nio.charset.StandardCharsets;

/**
 * The keys of one queue of one shard. The arrays are shared and must not be changed. {@code sent}, {@code sent.until}
 * and {@code ended} are the same keys in both queues of a shard.
 */
public final class ShardKeys {

    private final byte[] schedule;
    private final byte[] leases;
    private final byte[] messages;
    private final byte[] deliveries;
    private final byte[] meta;
    private final byte[] dead;
    private final byte[] deadLetters;
    private final byte[] ended;
    private final byte[] sent;
    private final byte[] sentUntil;
    private final byte[] signal;

    ShardKeys(String base, String kind, String signal) {
        this.schedule = bytes(base + kind + "schedule");
        this.leases = bytes(base + kind + "leases");
        this.messages = bytes(base + kind + "messages");
        this.deliveries = bytes(base + kind + "deliveries");
        this.meta = bytes(base + kind + "meta");
        this.dead = bytes(base + kind + "dead");
        this.deadLetters = bytes(base + kind + "deadLetters");
        this.ended = bytes(base + "ended");
        this.sent = bytes(base + "sent");
        this.sentUntil = bytes(base + "sent.until");
        this.signal = bytes(signal);
    }

    /** ZSET id → due time, ms. */
    public byte[] schedule() {
        return schedule;
    }

    /** ZSET id → lease end, ms. */
    public byte[] leases() {
        return leases;
    }

    /** HASH id → stored message. */
    public byte[] messages() {
        return messages;
    }

    /** HASH id → token, attempts, due time, last failure. */
    public byte[] deliveries() {
        return deliveries;
    }

    /** HASH: the shard's identity, its last poll, and the last poll of each consumer. */
    public byte[] meta() {
        return meta;
    }

    /** ZSET dead letter id → time of dead-lettering, ms. */
    public byte[] dead() {
        return dead;
    }

    /** HASH dead letter id → stored dead letter. */
    public byte[] deadLetters() {
        return deadLetters;
    }

    /** STRING, kept for a day: the last deleted epoch of the topic, and whether its dead letters had notifications. */
    public byte[] ended() {
        return ended;
    }

    /** HASH nonce → remembered outcome of a send, and the time until which it is remembered. */
    public byte[] sent() {
        return sent;
    }

    /** ZSET nonce → time until which a send is remembered, ms. */
    public byte[] sentUntil() {
        return sentUntil;
    }

    /** The name of this queue in signals. */
    public byte[] signal() {
        return signal;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
