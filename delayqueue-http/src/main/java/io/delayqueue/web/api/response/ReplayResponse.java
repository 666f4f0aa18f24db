package io.delayqueue.web.api.response;

/**
 * The result of replaying dead letters.
 *
 * @param replayed number of replayed dead letters
 * @param kept number of dead letters that were not replayed, because a message with their id is live or because they
 *     are unreadable
 */
public record ReplayResponse(long replayed, long kept) {}
