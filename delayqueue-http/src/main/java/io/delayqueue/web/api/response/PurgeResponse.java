package io.delayqueue.web.api.response;

/**
 * The result of deleting dead letters.
 *
 * @param purged number of deleted dead letters
 */
public record PurgeResponse(long purged) {}
