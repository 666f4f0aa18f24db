package io.delayqueue.redis;

import java.nio.charset.StandardCharsets;

/**
 * The names that belong to one lane of one shard. The arrays are shared and not to be changed.
 *
 * <p>{@code schedule}: ZSET id → due, ms. {@code leases}: ZSET id → lease end, ms. {@code messages}: HASH id → envelope.
 * {@code deliveries}: HASH id → token, attempts, due, last failure. {@code meta}: HASH. {@code dead}: ZSET letter → time
 * of death, ms. {@code letters}: HASH letter → record. {@code ended}: STRING, in both lanes the same.
 */
public final class ShardKeys {

    private final byte[] schedule;
    private final byte[] leases;
    private final byte[] messages;
    private final byte[] deliveries;
    private final byte[] meta;
    private final byte[] dead;
    private final byte[] letters;
    private final byte[] ended;
    private final byte[] signal;
    private final String base;

    ShardKeys(String base, String lane, String signal) {
        this.schedule = bytes(base + lane + "schedule");
        this.leases = bytes(base + lane + "leases");
        this.messages = bytes(base + lane + "messages");
        this.deliveries = bytes(base + lane + "deliveries");
        this.meta = bytes(base + lane + "meta");
        this.dead = bytes(base + lane + "dead");
        this.letters = bytes(base + lane + "letters");
        this.ended = bytes(base + "ended");
        this.signal = bytes(signal);
        this.base = base;
    }

    /** ZSET id → due, ms. */
    public byte[] schedule() {
        return schedule;
    }

    /** ZSET id → lease end, ms. */
    public byte[] leases() {
        return leases;
    }

    /** HASH id → envelope. */
    public byte[] messages() {
        return messages;
    }

    /** HASH id → token, attempts, due, last failure. */
    public byte[] deliveries() {
        return deliveries;
    }

    /** HASH: identity, last step, each consumer's last step. */
    public byte[] meta() {
        return meta;
    }

    /** ZSET letter → time of death, ms. */
    public byte[] dead() {
        return dead;
    }

    /** HASH letter → record. */
    public byte[] letters() {
        return letters;
    }

    /** STRING: the last epoch of the topic that was deleted, for a day, and whether notices were kept of its deaths. */
    public byte[] ended() {
        return ended;
    }

    /** STRING: what became of a send that is remembered, by its nonce. */
    public byte[] remembered(String nonce) {
        return bytes(base + "sent:" + nonce);
    }

    /** By which signals name this lane. */
    public byte[] signal() {
        return signal;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
