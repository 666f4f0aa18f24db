package io.delayqueue.web.api.answer;

/**
 * Dead letters were replayed.
 *
 * @param replayed how many
 * @param kept how many stay, since a message of their id is live or nobody can read them
 */
public record ReplayedAnswer(long replayed, long kept) {}
