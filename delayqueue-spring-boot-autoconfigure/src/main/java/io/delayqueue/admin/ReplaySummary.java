package io.delayqueue.admin;

/**
 * What became of many replays.
 *
 * @param replayed scheduled again
 * @param kept letters that stay, since a message of their id is live or nobody can read them
 */
public record ReplaySummary(long replayed, long kept) {}
