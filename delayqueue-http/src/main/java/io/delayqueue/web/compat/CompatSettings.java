package io.delayqueue.web.compat;

import java.time.Duration;

/**
 * Settings of the interface. Immutable.
 *
 * @param maxWait maximum time for which a pop waits for a job, 0 to 1 d
 * @param lease duration of the lease of a job without a time to run, such as a job sent from Java, 1 s to 1 d
 * @param maxAttempts number of deliveries after which a job is dead-lettered, 0 for unlimited
 * @param contentType content type of responses
 * @param maxTopics number of topics at which no further topic is created
 */
public record CompatSettings(Duration maxWait, Duration lease, int maxAttempts, String contentType, int maxTopics) {}
