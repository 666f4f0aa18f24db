package io.delayqueue.web.api;

import java.time.Duration;

/**
 * Settings of the HTTP API.
 *
 * @param basePath prefix of all paths, without a trailing slash
 * @param maxWait maximum time for which a client may wait for messages
 * @param maxCount maximum number of messages that a client may send or receive in one request
 * @param maxBodyBytes maximum size of a request body in bytes
 */
public record ApiSettings(String basePath, Duration maxWait, int maxCount, int maxBodyBytes) {}
