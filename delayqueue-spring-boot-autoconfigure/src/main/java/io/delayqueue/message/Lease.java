package io.delayqueue.message;

/**
 * The right to handle one delivery. It is identified by its token, which is never given out again.
 *
 * @param shard where the message lives
 * @param id the message's id
 * @param token the fencing token: compared for equality together with the id, never ordered
 */
public record Lease(Shard shard, String id, String token) {}
