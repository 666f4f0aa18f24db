package io.delayqueue.store;

import java.time.Duration;

/**
 * The renewal of a lease.
 *
 * @param lease how long from now, by Redis' clock
 */
public record Renewal(String id, String token, Duration lease) {}
