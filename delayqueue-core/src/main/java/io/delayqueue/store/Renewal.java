package io.delayqueue.store;

import java.time.Duration;

/**
 * The renewal of a lease.
 *
 * @param lease new length of the lease, from the time at which the poll runs
 */
public record Renewal(String id, String token, Duration lease) {}
