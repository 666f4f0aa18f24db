package io.delayqueue.admin;

/**
 * Result of several replays.
 *
 * @param replayed number of messages that were scheduled again
 * @param kept number of dead letters that stay because their message id is live or this version cannot read them
 */
public record ReplaySummary(long replayed, long kept) {}
