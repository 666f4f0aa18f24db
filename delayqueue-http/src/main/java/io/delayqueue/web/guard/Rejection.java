package io.delayqueue.web.guard;

/**
 * Why a request was rejected.
 *
 * @param status HTTP status, 401 or 403
 * @param sentence what is wrong and what to do
 */
public record Rejection(int status, String sentence) {}
