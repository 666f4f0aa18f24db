package io.delayqueue.web.api;

import java.time.Duration;

/**
 * What the interface is opened with.
 *
 * @param basePath what all its paths begin with
 * @param maxWait how long a client may wait for messages
 * @param maxCount how many messages a client may send or receive at once
 * @param maxBodyBytes the largest body of a request
 */
public record ApiSettings(String basePath, Duration maxWait, int maxCount, int maxBodyBytes) {}
