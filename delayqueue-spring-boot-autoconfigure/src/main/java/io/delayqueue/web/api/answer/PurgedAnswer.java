package io.delayqueue.web.api.answer;

/**
 * Dead letters were removed.
 *
 * @param purged how many
 */
public record PurgedAnswer(long purged) {}
