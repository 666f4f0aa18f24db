package io.delayqueue.web.compat;

import java.time.Duration;

/**
 * How the interface goes about. Immutable.
 *
 * @param maxBodyBytes of a request, 1 to 1 GiB
 * @param maxWait how long a pop waits for a job, 0 to 1 d
 * @param lease for how long a job is leased that fixes no time to run, as one that was sent by Java, 1 s to 1 d
 * @param maxAttempts after how many deliveries a job goes to the dead letters, 0 for none
 * @param contentType of the answers
 */
public record CompatSettings(int maxBodyBytes, Duration maxWait, Duration lease, int maxAttempts, String contentType) {}
